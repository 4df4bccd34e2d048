import { type Config, ConfigError } from '../kernel/process/config.ts';
import { CENTERS } from '../kernel/process/layout.ts';
import { readSettings } from '../start/settings.ts';

const ANSWER_MS = 2_500;

/** Asks the process with the same environment whether it is ready; exits with 1 if it is not. */
export async function healthCommand(config: Config): Promise<void> {
  const lacking = await lackingOf(config);
  process.stdout.write(lacking.length === 0 ? 'ready\n' : `not ready: ${lacking.join('; ')}\n`);
  if (lacking.length > 0) process.exitCode = 1;
}

/** Why the process is not ready, one reason per port; empty when it is. */
async function lackingOf(config: Config): Promise<string[]> {
  const host = within(config.host);
  if (!config.serves) {
    const { asked } = config.driverPort;
    // Without SVC_DRIVER_PORT a driver takes the first free one of ten ports, which its copies share.
    return asked === null ? ['SVC_DRIVER_PORT must name the port to ask'] : lackOf(host, asked);
  }
  const { services, port, centers } = config;
  const ports = services.has('gateway')
    ? [port]
    : CENTERS.filter((center) => services.has(center)).map((center) => centers[center].port);
  return (await Promise.all(ports.map((one) => lackOf(host, one)))).flat();
}

async function lackOf(host: string, port: number): Promise<string[]> {
  if (port === 0) return ['the port is chosen at the start and not known here'];
  const status = await statusAt(host, port);
  return status === null ? [`nothing answers on port ${port}`] : lackIn(status, port);
}

const lackIn = ({ isReady, waitingFor }: Status, port: number): string[] =>
  isReady ? [] : [`port ${port} waits for ${waitingFor || 'its start'}`];

type Status = { isReady: boolean; waitingFor: string };

/** Null without an answer in time. */
async function statusAt(host: string, port: number): Promise<Status | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(`http://${host}:${port}/readyz`, { signal, redirect: 'error' });
    const body: unknown = await response.json();
    const missing =
      typeof body === 'object' && body !== null && 'waitingFor' in body ? body.waitingFor : [];
    return { isReady: response.ok, waitingFor: Array.isArray(missing) ? missing.join(', ') : '' };
  } catch {
    return null;
  }
}

/** The loopback address for a process that listens on every address. */
function within(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

// HEALTHCHECK of the image for any of the services: run directly, it loads little of the platform.
if (import.meta.main) {
  try {
    await healthCommand(readSettings(process.env));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stdout.write(`not ready: ${error.message}\n`);
    process.exitCode = 1;
  }
}
