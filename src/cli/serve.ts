import { setTimeout as sleep } from 'node:timers/promises';

import { DEFAULT_HMAC_SECRET } from '../core/config.ts';
import type { Platform } from '../main.ts';
import { type DemoDevice, startDemoDevice } from './demo-device.ts';
import { seedDemo } from './demo.ts';
import type { Composition } from './index.ts';

const STOP_LIMIT_MS = 20_000;

/** Starts everything, says where to go, and stops in order on SIGTERM or SIGINT. */
export async function serveCommand({ startPlatform, readConfig }: Composition): Promise<void> {
  const config = readConfig();
  const platform = await startPlatform(config);
  const { app } = platform;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      app.log.error({ error }, 'an unexpected failure; stopping');
      process.exitCode = 1;
      void stop();
    });
  }
  let device: DemoDevice | null = null;
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    sleep(STOP_LIMIT_MS, undefined, { ref: false }).then(
      () => process.exit(1),
      () => {},
    );
    await device?.stop();
    await platform.stop();
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());

  if (app.config.demo) {
    await seedDemo(app);
    device = startDemoDevice(platform, (line) => process.stdout.write(`${line}\n`));
  }
  process.stdout.write(banner(platform));
}

function banner({ app, lwm2mPort, firstLogin }: Platform): string {
  const { baseUrl, admin, demo, hmacSecret } = app.config;
  const password = firstLogin?.generatedPassword
    ? `${firstLogin.generatedPassword}   (generated, shown once; must be changed at the first login)`
    : admin.password
      ? 'as in SVC_ADMIN_PASSWORD'
      : 'as set at the first start';
  const lines = [
    '',
    'Device Data Platform is up',
    `  API       ${baseUrl}/api/v3`,
    `  MCP       ${baseUrl}/mcp`,
    `  Chat      ${baseUrl}/api/v3/agentic/chat/completions`,
    `  LwM2M     coap://${app.config.lwm2m.host}:${lwm2mPort}`,
    `  Tenant    default`,
    `  Login     ${admin.login}`,
    `  Password  ${password}`,
    `  Database  ${app.db.engine === 'embedded' ? `embedded, in ${app.config.dataDir}` : 'PostgreSQL'}`,
    ...(demo
      ? ['  Demo      devices dev-1 (simulated LwM2M) and virtual-1; SVC_DEMO=off leaves them out']
      : []),
    ...(hmacSecret === null
      ? [
          '  WARNING   AUTH_HMAC_SECRET is empty: principals are not signed. Keep this off any network.',
        ]
      : []),
    ...(hmacSecret === DEFAULT_HMAC_SECRET
      ? [
          '  Note      AUTH_HMAC_SECRET is the well-known default; set your own before anybody else can reach this.',
        ]
      : []),
    '',
  ];
  return `${lines.join('\n')}\n`;
}
