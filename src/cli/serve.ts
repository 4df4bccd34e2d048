import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Place } from '../../driver/sdk/driver.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Config, DEFAULT_HMAC_SECRET } from '../kernel/process/config.ts';
import { CENTERS } from '../kernel/process/layout.ts';
import type { Log } from '../kernel/process/log.ts';
import { giveMemoryBackAtRest } from '../kernel/process/rest.ts';
import { collectOldGenerationSooner, letYoungGenerationGrow } from '../kernel/process/v8-flags.ts';
import type { Composition } from '../start/composition.ts';
import { cacheFor, linkedProgram } from '../start/linked.ts';
import type { DriverPlatform, Platform } from '../start/platform.ts';
import type { Settings } from '../start/settings.ts';
import type { SimulatedDevice } from './demo/simulated-device.ts';
import { explain } from './explain.ts';

const STOP_LIMIT_MS = 20_000;
/** For a start that is stopped: it waits for a database or a broker for about half a minute. */
const START_LIMIT_MS = 60_000;
/** What comes with a start is over then. */
const LINK_AFTER_MS = 1_000;
const LINK_LIMIT_MS = 60_000;

/** Starts the services of this process, prints the banner, and stops in order on SIGTERM or SIGINT. */
export async function serveCommand(composition: Composition): Promise<void> {
  const settings = composition.readSettings();
  const print = (text: string): void => void process.stdout.write(text);
  if (settings.serves) await servePlatform(composition, settings, print);
  else {
    const starting = composition.startDriverPlatform(settings);
    stopOnSignal(starting, async (platform) => platform.stop());
    print(driverBanner(settings, await starting));
    letYoungGenerationGrow();
    giveMemoryBackAtRest(systemClock);
  }
}

async function servePlatform(
  { startPlatform }: Composition,
  settings: Settings,
  print: (text: string) => void,
): Promise<void> {
  let device: SimulatedDevice | null = null;
  let agent: { stop(): Promise<void> } | null = null;
  let seeded = Promise.resolve();
  const starting = startPlatform(settings).then((platform) => ({
    ...platform,
    log: platform.app.log,
  }));
  stopOnSignal(starting, async (platform) => {
    // A running demo onboarding finishes first (a second or two): the database must not close under it.
    await seeded;
    await device?.stop();
    await agent?.stop();
    await platform.stop();
  });
  const platform = await starting;
  const { app } = platform;
  async function startDemo(port: number): Promise<void> {
    const [{ startSimulatedDevice }, { makeDemo }, { keepProposing }] = await Promise.all([
      import('./demo/simulated-device.ts'),
      import('./demo/story.ts'),
      import('./demo/proposal.ts'),
    ]);
    // The platform works without its demo, and the banner may hold the only copy of a password.
    const made = await makeDemo(app).catch((error: unknown) =>
      app.log.error({ error }, 'the demo was not made, next start retries'),
    );
    if (made) agent = keepProposing(app, made.tenantId);
    device = startSimulatedDevice(app.config.dataDir, port, (line) => print(`${line}\n`));
  }
  // A split platform gets demo data by `svc demo` and no device; there SVC_DEMO allows the scripted model
  // only.
  const place = platform.listening.find(({ scheme }) => scheme === 'coap');
  if (app.config.demo && !app.config.split && place) {
    seeded = startDemo(place.port);
    await seeded;
  }
  print(banner(platform));
  letYoungGenerationGrow();
  collectOldGenerationSooner();
  linkLater();
}

/** Links this tree for the next start, in a process of its own, unless this one runs what was linked. */
function linkLater(): void {
  const cache = cacheFor(process.env);
  if (cache === undefined || linkedProgram(process.env)) return;
  const link = fileURLToPath(new URL('../start/link.ts', import.meta.url));
  const timer = setTimeout(() => {
    const child = spawn(process.execPath, [link, cache], {
      stdio: 'ignore',
      timeout: LINK_LIMIT_MS,
    });
    // Without it the next start is slower, and tries again.
    child.on('error', () => {});
    child.unref();
    process.once('exit', () => child.kill());
  }, LINK_AFTER_MS);
  timer.unref();
}

/**
 * Ends the process after `stop`, or when that takes longer than 20 s; an unexpected failure stops it too. A start in
 * progress is awaited first: its ports answer before it is complete.
 */
function stopOnSignal<P extends { log: Log }>(
  starting: Promise<P>,
  stop: (started: P) => Promise<void>,
): void {
  const started = starting.catch(() => null);
  let stopping = false;
  const end = async (failure?: { error: unknown }): Promise<void> => {
    const isFirst = !stopping;
    stopping = true;
    const startLimit = endAfter(START_LIMIT_MS);
    const platform = await started;
    clearTimeout(startLimit);
    if (failure) complain(failure.error, platform);
    if (!isFirst) return;
    // A failed start prints its reason, and the password it may have generated.
    if (!platform && !failure) return;
    endAfter(STOP_LIMIT_MS);
    if (platform) await stop(platform);
    process.exit();
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.exitCode = 1;
      void end({ error });
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
}

/** A wait that does not keep the process alive; a supervisor reads why it ended with 1. */
const endAfter = (limitMs: number): NodeJS.Timeout =>
  setTimeout(() => {
    process.stderr.write(
      `The stop took longer than ${limitMs / 1_000} s, so the process ends now.\n`,
    );
    process.exit(1);
  }, limitMs).unref();

function complain(error: unknown, platform: { log: Log } | null): void {
  if (platform) platform.log.error({ error }, 'an unexpected failure; stopping');
  else process.stderr.write(`${explain(error)}\n`);
}

/** Text that a start prints: services and addresses of the process, the login, and warnings. */
export function banner(platform: Platform): string {
  const { app, listening } = platform;
  const { baseUrl, demo, split } = app.config;
  const engine = app.db.engine === 'embedded' ? `embedded, in ${app.config.dataDir}` : 'PostgreSQL';
  return lines([
    'Device Data Platform is up',
    ...(split ? servicesOf(app.config) : []),
    ...(platform.ports.gateway === undefined
      ? []
      : [
          ...(app.config.swagger
            ? [`  Start     ${baseUrl}/   (every operation: /swagger-ui.html)`]
            : []),
          `  API       ${baseUrl}/api/v3`,
          `  MCP       ${baseUrl}/mcp`,
          `  Chat      ${baseUrl}/api/v3/agentic/chat/completions`,
        ]),
    ...entries(platform),
    ...addresses(listening),
    ...login(platform),
    `  Database  ${engine}`,
    ...(demo && !split
      ? [
          '  Demo      a boiler house with a made-up week, dev-1 (simulated LwM2M) and virtual-1; SVC_DEMO=off leaves them out',
        ]
      : []),
    ...signing(app.config),
  ]);
}

/** The banner of a process with drivers only. */
export const driverBanner = (config: Config, { listening, healthPort }: DriverPlatform): string =>
  lines([
    'Device Data Platform: drivers are up',
    ...servicesOf(config),
    ...addresses(listening),
    `  Health    http://${config.host}:${healthPort}/readyz`,
    `  Node      ${config.node}`,
  ]);

const lines = (text: string[]): string => `\n${text.join('\n')}\n\n`;

const servicesOf = ({ services }: Config): string[] => [`  Services  ${[...services].join(', ')}`];

/** A line for each driver, whatever the number of its ports. */
const addresses = (listening: readonly Place[]): string[] =>
  [...Map.groupBy(listening, ({ name }) => name)].map(([name, places]) => {
    const all = places.map(
      ({ scheme, host, port, note }) =>
        `${scheme}://${inUrl(host)}:${port}${note ? ` (${note})` : ''}`,
    );
    return `  ${name.padEnd(8)}  ${all.join('   ')}`;
  });

/** An IPv6 address in a URL has brackets (RFC 3986, 3.2.2). */
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Lines of centers on their own ports; docs/specification/service.md, Rules of the service 1–2. */
function entries({ app, ports }: Platform): string[] {
  return CENTERS.flatMap((center) =>
    ports[center] === undefined
      ? []
      : [
          `  ${center.padEnd(8)}  http://${app.config.host}:${ports[center]}   (for the gateway, not the public)`,
        ],
  );
}

/** SVC_ADMIN_PASSWORD counts at the first start only; later the password is in the database. */
function login({ app, firstLogin }: Platform): string[] {
  if (!app.config.services.has('auth')) return [];
  const { login: name, password: given } = app.config.admin;
  const password = firstLogin?.generatedPassword
    ? `${firstLogin.generatedPassword}   (generated, shown once; must be changed at the first login)`
    : firstLogin
      ? 'as in SVC_ADMIN_PASSWORD'
      : `as set before${given ? ' (SVC_ADMIN_PASSWORD counts at the first start only)' : ''}; forgotten: npm run svc -- password LOGIN`;
  return [
    '  Tenant    default',
    ...(firstLogin ? [`  Login     ${name}`] : []),
    `  Password  ${password}`,
  ];
}

function signing({ hmacSecret }: Config): string[] {
  if (hmacSecret === null)
    return [
      '  WARNING   AUTH_HMAC_SECRET is empty: principals are not signed. Keep this off any network.',
    ];
  if (hmacSecret === DEFAULT_HMAC_SECRET)
    return [
      '  Note      AUTH_HMAC_SECRET is the well-known default; set your own before anybody else can reach this.',
    ];
  return [];
}
