import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { createLog } from '../../src/kernel/process/log.ts';
import { bootstrap } from './bootstrap.ts';
import type { DeviceEvent } from './contract.ts';
import { startDevice } from './device.ts';
import type { Psk } from './secure-socket.ts';

const USAGE =
  'usage: npm run device -- --endpoint NAME [--server HOST:PORT] [--lifetime SECONDS] [--psk-key HEX [--psk-identity NAME] | --factory-key HEX [--factory-identity NAME]] [--port PORT] [--state FILE] [--json] [--with-parent]';

const PARENT_CHECK_MS = 500;

function fail(problem: string): never {
  console.error(`${problem}\n${USAGE}`);
  process.exit(2);
}

function argumentsGiven() {
  try {
    return parseArgs({
      options: {
        endpoint: { type: 'string' },
        server: { type: 'string', default: '127.0.0.1:5683' },
        lifetime: { type: 'string', default: '60' },
        'psk-identity': { type: 'string' },
        'psk-key': { type: 'string' },
        'factory-identity': { type: 'string' },
        'factory-key': { type: 'string' },
        port: { type: 'string', default: '0' },
        state: { type: 'string' },
        json: { type: 'boolean', default: false },
        'with-parent': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'the arguments cannot be read');
  }
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : fail(`--${name} must be from ${min} to ${max}`);
}

const given = argumentsGiven();
const endpoint = given.endpoint ?? '';
if (endpoint === '' || endpoint.length > 255) fail('--endpoint is missing or too long');
const at = given.server.lastIndexOf(':');
const host = at < 0 ? given.server : given.server.slice(0, at);
if (host === '') fail('--server must be HOST or HOST:PORT');
const serverPort = at < 0 ? 5683 : whole('server port', given.server.slice(at + 1), 1, 65_535);

function pskGiven(name: 'psk' | 'factory'): Psk | null {
  const { [`${name}-identity` as const]: identity = endpoint, [`${name}-key` as const]: key } =
    given;
  if (key === undefined) return null;
  if (!/^(?:[0-9a-f]{2}){8,64}$/i.test(key))
    return fail(`--${name}-key must be 8 to 64 bytes in hexadecimal`);
  return { identity, key };
}

type Home = { server: { host: string; port: number }; lifetimeS: number; psk?: Psk };

/** Where it registers, and how: as it was started or, with a factory key, as its bootstrap says. */
async function home(): Promise<Home> {
  const server = { host, port: serverPort };
  const lifetimeS = whole('lifetime', given.lifetime, 1, 4_294_967_295);
  const [psk, factory] = [pskGiven('psk'), pskGiven('factory')];
  if (!factory) return { server, lifetimeS, ...(psk && { psk }) };
  const account = await bootstrap({ endpoint, server, factory });
  if ('failed' in account)
    return fail(`${endpoint} was given no key of its own: ${account.failed}`);
  const { host: name, port } = account.server;
  const event = { event: 'bootstrapped', server: `${name}:${port}` };
  console.log(
    given.json
      ? JSON.stringify({ endpoint, ...event })
      : `${endpoint} has its own key, for ${event.server}`,
  );
  return account;
}

function sentence(event: DeviceEvent): string {
  switch (event.event) {
    case 'registered':
      return `registered at ${event.location}`;
    case 'refused':
      return `refused with ${event.code}; is the endpoint configured on a device?`;
    case 'unreachable':
      return `gets no answer from ${host}:${serverPort}`;
    case 'set-point':
      return `set-point ${event.value}`;
    case 'sent':
      return `sends ${event.values}`;
    case 'updated':
    case 'reboot':
    case 'power-cut':
    case 'de-registered':
      break;
  }
  return event.event;
}

/** The set-point survives a restart in the file `--state`, as on a real device. */
function kept(): { setPoint?: number } {
  if (given.state === undefined) return {};
  try {
    const setPoint = Number(readFileSync(given.state, 'utf8'));
    return Number.isFinite(setPoint) ? { setPoint } : {};
  } catch {
    return {};
  }
}

function keep(setPoint: number): void {
  if (given.state !== undefined) writeFileSync(given.state, String(setPoint));
}

const device = await startDevice({
  endpoint,
  ...(await home()),
  port: whole('port', given.port, 0, 65_535),
  log: createLog('silent'),
  ...kept(),
  onEvent(event) {
    if (event.event === 'set-point') keep(event.value);
    // Updates come every half minute, so only JSON output reports them.
    if (event.event === 'updated' && !given.json) return;
    console.log(
      given.json ? JSON.stringify({ endpoint, ...event }) : `${endpoint} ${sentence(event)}`,
    );
  },
}).catch((error: unknown) =>
  fail(error instanceof Error ? error.message : 'the device cannot start'),
);

async function leave(): Promise<void> {
  await device.stop();
  process.exit(0);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave());

// Without its killed parent the device would compete with the next one for the endpoint name.
const parent = process.ppid;
if (given['with-parent'])
  setInterval(() => {
    if (process.ppid !== parent) void leave();
  }, PARENT_CHECK_MS).unref();
