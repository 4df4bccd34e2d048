import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { noteTried } from '../../src/auth/agent/hold.ts';
import { refusalsWritten } from '../../src/auth/audit/refusal.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { watch } from '../support/devices/notify.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { type Program, programFor, tokenFor } from '../support/people/bearer.ts';
import { clients as eras, type McpClient } from '../support/people/mcp.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';
import { type Site } from '../tools/agent.ts';

const AUTH = '/api/v3/auth';
const ANY_ID = '0b9c1f4e-5d3a-4c1e-9a77-2f6d8e1b4c30';
const Key = z.object({ key: z.string() });
const SCOPE = 'svc:read svc:propose';
const [open] = Object.values(eras);

let program: Program;
let client: McpClient;
let site: Site;
const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeAll(async () => {
  await watch(world, {
    channels: [{ target: hook.url }],
    notify: { notifyExt: { content: { alarmTypes: ['IDENTITY'] } } },
  });
  site = await actionsIn(world, world.admin).site();
  program = await programFor(world.admin, { scope: SCOPE });
  const made = await open?.(world.base, program.token);
  if (!made) throw new Error('no client');
  client = made;
});
afterAll(async () => {
  await client?.close();
});

const write = (value: number) =>
  client.call('writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value });
const Switch = z.object({
  holdsTried: z.boolean(),
  tried: z.array(z.looseObject({ principalId: z.string(), isHeld: z.boolean() })),
});
const shown = async () => Switch.parse(await world.admin.data(`${AUTH}/mcp/switch/get`));
const lift = () =>
  world.admin.data(`${AUTH}/mcp/switch/lift`, { principalId: program.principalId });
const told = (count: number, words: string) =>
  eventually(
    async () => hook.received.filter(({ body }) => body.includes(words)),
    (bodies) => bodies.length === count,
  );

/** What only a person may do, asked for with the agent's token. */
async function tryToConfirm(): Promise<void> {
  const token = await tokenFor(world.base, program.authorization, {
    scope: SCOPE,
    audience: 'api',
  });
  const answer = await fetch(`${world.base}/api/v3/agentic/action/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ actionId: ANY_ID }),
  });
  expect(answer.status).toBe(403);
  await refusalsWritten(world.app);
}

it('is told to people once, and is not restricted where the tenant wants no more', async () => {
  await tryToConfirm();
  const [notice] = await told(
    1,
    'asked for what only people may do: POST /api/v3/agentic/action/confirm',
  );
  // It is no alarm, which would have an id and an end.
  expect(notice?.body).toMatch(/\[P1\] .{0,2}An agent asked for what only people may do/);
  expect(notice?.body).toContain('"type":"identity.reported"');
  expect(notice?.body).not.toMatch(/Alarm: |fired/);
  expect(notice?.body).toContain('The request was refused; the account is not restricted.');
  await tryToConfirm();
  expect(await shown()).toMatchObject({
    holdsTried: false,
    tried: [{ principalId: program.principalId, isHeld: false, source: '127.0.0.1' }],
  });
  expect((await write(21)).isError).toBeFalsy();
  await told(1, 'asked for what only people may do');
});

it('is held at its next attempt where the tenant wants that later', async () => {
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: true });
  await tryToConfirm();
  await told(1, 'It only reads until a person lifts that');
  expect((await write(22)).isError).toBe(true);
  expect((await shown()).tried).toMatchObject([{ isHeld: true }]);
  await tryToConfirm();
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: false });
  await tryToConfirm();
  expect((await shown()).tried).toMatchObject([{ isHeld: true }]);
  await told(1, 'It only reads until a person lifts that');
  await lift();
});

it('only reads from then on where the tenant wants that, says why, and is let go by a person', async () => {
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: true });
  await tryToConfirm();
  await told(2, 'It only reads until a person lifts that');
  const refused = await write(22);
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain(
    'Agents only read for this account now: “it asked for what only people may do',
  );
  expect((await client.call('searchDevices')).isError).toBeFalsy();
  expect((await shown()).tried).toMatchObject([{ isHeld: true }]);
  const nobody = await worker(world.admin, ['svc-center-auth:mcp:get']);
  const principal = { principalId: program.principalId };
  expect((await nobody.session.post(`${AUTH}/mcp/switch/lift`, principal)).status).toBe(403);
  await lift();
  expect((await write(23)).isError).toBeFalsy();
  expect((await world.admin.post(`${AUTH}/mcp/switch/lift`, principal)).status).toBe(404);
});

const credentials = ['token', 'key'].flatMap((kind) =>
  (['api', 'mcp'] as const).map((audience) => ({ kind, audience })),
);
it.each(credentials)('is held with a $kind for $audience', async ({ kind, audience }) => {
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: true });
  const name = fresh('agent');
  const agent = await programFor(world.admin, { scope: SCOPE, audience, name });
  const { principalId } = agent;
  const given = { keyName: fresh('key'), serviceAccountPrincipalId: principalId, audience };
  const { key } = Key.parse(await world.admin.data(`${AUTH}/key/add`, given));
  const bearer = kind === 'key' ? key : agent.token;
  const [status, why] = { api: [403, 'R403'], mcp: [401, 'R401'] }[audience];
  const ask = (path: string, body: object = {}) =>
    fetch(`${world.base}/api/v3/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  // Only reading, or for programs as well.
  await ask('auth/identity_audit/list');
  await ask('manager/device/list');
  await refusalsWritten(world.app);
  const ofAgent = async () =>
    (await shown()).tried.filter((one) => one.principalId === principalId);
  expect(await ofAgent()).toEqual([]);
  const answer = await ask('agentic/action/confirm', { actionId: ANY_ID });
  expect(answer.status).toBe(status);
  const challenge = answer.headers.get('www-authenticate') ?? '';
  expect(challenge.includes('This token is for')).toBe(audience === 'mcp');
  await refusalsWritten(world.app);
  const place = 'POST /api/v3/agentic/action/confirm';
  expect(await ofAgent()).toMatchObject([{ place, isHeld: true, source: '127.0.0.1' }]);
  const filter = { action: 'DENY', principalId };
  expect(await world.admin.data(`${AUTH}/identity_audit/list`, filter)).toContainEqual(
    expect.objectContaining({ principalId, errorCode: why, resourceName: place }),
  );
  await told(1, `An agent of the account “${name}” asked`);
});

it('is listed first, and goes with its account', async () => {
  const tries = async () => {
    const id = String(
      await world.admin.data(`${AUTH}/service_account/add`, {
        serviceAccountName: fresh('agent'),
        roleCode: 'agent',
      }),
    );
    const account = z
      .object({ principalId: z.string() })
      .parse(await world.admin.data(`${AUTH}/service_account/get_by_id`, undefined, { id }));
    const given = { keyName: fresh('key'), serviceAccountPrincipalId: account.principalId };
    const { key } = Key.parse(await world.admin.data(`${AUTH}/key/add`, given));
    await fetch(`${world.base}/api/v3/agentic/action/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ actionId: ANY_ID }),
    });
    await refusalsWritten(world.app);
    return { ...account, id };
  };
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: true });
  const held = await tries();
  await world.admin.data(`${AUTH}/mcp/switch/hold_tried`, { on: false });
  world.clock.shift(1_000);
  const free = await tries();
  const listed = async () => (await shown()).tried.map(({ principalId }) => principalId);
  const before = await listed();
  expect(before[0]).toBe(held.principalId);
  expect(before).toContain(free.principalId);
  await world.admin.data(`${AUTH}/service_account/delete`, { id: held.id });
  const after = await listed();
  expect(after).not.toContain(held.principalId);
  expect(after).toContain(free.principalId);
});

it('does not say to programs from where others called', async () => {
  await tryToConfirm();
  const { key } = Key.parse(await world.admin.data(`${AUTH}/key/add`, { keyName: fresh('key') }));
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${world.base}${AUTH}/mcp/switch/get`, { headers });
  const { tried } = Switch.parse(z.object({ data: z.unknown() }).parse(await answer.json()).data);
  expect(tried.length).toBeGreaterThan(0);
  expect(new Set(tried.map(({ source }) => source))).toEqual(new Set(['']));
  expect((await shown()).tried[0]?.source).toBe('127.0.0.1');
});

it('is published to the end when the platform stops at that moment', async () => {
  const clock = new ShiftedClock();
  const memory: Bus = new MemoryBus({ clock, log: createLog('silent') });
  let isHandled = false;
  const stopping = await startWorld({
    clock,
    bus: {
      ...memory,
      async publish(topic, ...rest) {
        // Long after the ports are closed.
        if (topic === 'svc.e.identity') await sleep(1_000);
        await memory.publish(topic, ...rest);
        isHandled ||= topic === 'svc.e.identity';
      },
    },
  });
  const { tenantId } = stopping.admin;
  const agent = {
    tenantId,
    principalId: '7',
    principalType: 'SERVICE_ACCOUNT',
    name: 'agent',
  } as const;
  noteTried(stopping.app, agent, 'POST /api/v3/agentic/action/confirm', '127.0.0.1');
  expect(await Promise.race([stopping.stop(), sleep(20_000, 'still stopping')])).toBeUndefined();
  expect(isHandled).toBe(true);
});
