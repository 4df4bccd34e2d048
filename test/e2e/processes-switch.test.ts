import { afterAll, beforeAll, expect, it } from 'vitest';

import { freePort } from '../support/neighbours/free-port.ts';
import { programFor } from '../support/people/bearer.ts';
import { listenTo } from '../support/people/listening.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { login, type Session } from '../support/people/session.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { prepared } from '../support/world/prepared.ts';
import { type Process, startProcess } from '../support/world/process.ts';
import { onboard, type Site } from '../tools/agent.ts';

const ROUNDS = 3;

/** Two gateways with their centers, each a process, on one PostgreSQL and one RabbitMQ. */
const running: Process[] = [];
let here: Session;
let elsewhere: string;
let token: string;
let site: Site;
const data = prepared(() => freshDatabase());
beforeAll(async () => {
  const ports = [await freePort(), await freePort()] as const;
  const [base, other] = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const port of ports)
    running.push(
      startProcess(['src/main.ts', 'serve'], {
        ...testEnvironment,
        ...data.environment,
        SVC_LOG_LEVEL: 'warn',
        SVC_ROLES: 'gateway,auth,manager,data,agentic',
        SVC_BASE_URL: base ?? '',
        SVC_PORT: String(port),
      }),
    );
  await Promise.all(running.map((one) => one.line(/^ {2}Database /)));
  here = await login(base ?? '', 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  elsewhere = other ?? '';
  site = await onboard(here, 'switched');
  ({ token } = await programFor(here, { scope: 'svc:read svc:propose' }));
}, 180_000);
afterAll(async () => {
  for (const one of running) await one.kill();
  await data.remove();
});

const turn = (mode: string) => here.data('/api/v3/auth/mcp/switch/set', { mode });

it('a switch acts in the process that did not turn it, with the first call after it', async () => {
  const ask = asking(elsewhere, token);
  const called = (name: string, given: object) => ask('tools/call', { name, arguments: given });
  const read = () => called('searchDevices', {});
  const write = (value: number) =>
    called('writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value });
  for (let round = 0; round < ROUNDS; round += 1) {
    expect((await read()).result).toMatchObject({ structuredContent: { total: 1 } });
    await turn('OFF');
    expect((await read()).error?.message).toContain('Agents are switched off in this tenant');
    await turn('READ_ONLY');
    expect((await read()).result).toMatchObject({ structuredContent: { total: 1 } });
    expect(JSON.stringify((await write(10 + round)).result)).toContain('Agents only read in this');
    await turn('ON');
    const proposed = { structuredContent: { pendingConfirmation: true } };
    expect((await write(10 + round)).result).toMatchObject(proposed);
  }
});

it('ends what is listened to in the process that did not turn it', async () => {
  const listening = await listenTo(elsewhere, token, ['svc://alarm/active']);
  expect(listening.honored).toEqual(['svc://alarm/active']);
  await turn('OFF');
  expect(await listening.ended).toMatchObject({ result: { resultType: 'complete' } });
  await turn('ON');
});
