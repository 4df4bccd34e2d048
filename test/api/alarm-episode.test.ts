import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report, type Site } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const Alerts = z.object({
  records: z.array(z.looseObject({ id: z.string(), sourceId: z.string(), state: z.unknown() })),
});

let client: McpClient;
let site: Site;
const world = startedWorld();
beforeAll(async () => {
  const [connect] = Object.values(clients);
  if (!connect) throw new Error('no client');
  client = await connect(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
});
afterAll(async () => {
  await client?.close();
});
beforeEach(async () => {
  site = await onboard(world.admin, fresh('site'));
});

const ruleExt = (threshold: number) => ({
  content: { condition: { field: 'calValue', operator: '>', threshold, unit: '°C' } },
});
const above = async (threshold: number): Promise<string> =>
  z.string().parse(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('too hot'),
      alarmTargetTypeFlag: 'POINT',
      entityId: site.pointId,
      ruleExt: ruleExt(threshold),
    }),
  );
/** Answers when it was measured. */
async function measure(value: number): Promise<string> {
  world.clock.shift(1_000);
  const before = world.clock.now();
  await report(world, world.admin, site, [value]);
  return new Date(before).toISOString();
}
const alerts = async (source = 'point') =>
  Alerts.parse(
    await world.admin.data(`${DATA}/dashboard/alert/page`, { source, size: 200 }),
  ).records.filter(({ sourceId }) => sourceId === site.deviceId);
const readAlarm = (id: string | undefined) => client.read(`svc://alarm/${id}`);

const ended = {
  state: 'RECOVERED',
  condition: 'calValue > 80 °C',
  triggerCount: '2',
  firstTriggerTime: expect.any(String),
  lastTriggerTime: expect.any(String),
  lastRecoverTime: expect.any(String),
  endReason: '',
};
/** Fires twice and recovers; answers its alarm, as REST and MCP show it. */
async function pastEpisode(): Promise<{ id: string; rest: unknown; mcp: unknown }> {
  for (const value of [81, 82, 20]) await measure(value);
  const [rest] = await alerts();
  const mcp = await readAlarm(rest?.id);
  expect(rest).toMatchObject(ended);
  expect(mcp).toMatchObject(ended);
  return { id: rest?.id ?? '', rest, mcp };
}

describe('an alarm keeps the facts of its own episode', () => {
  it.each([
    ['fires again', () => measure(90)],
    [
      'is changed',
      (id: string) => world.admin.data(`${DATA}/rule/update`, { id, ruleExt: ruleExt(95) }),
    ],
    ['is deleted', (id: string) => world.admin.data(`${DATA}/rule/delete`, { id })],
  ])('when its rule %s', async (_what, happen) => {
    const ruleId = await above(80);
    const { id, rest, mcp } = await pastEpisode();
    await happen(ruleId);
    expect((await alerts()).find((alarm) => alarm.id === id)).toEqual(rest);
    expect(await readAlarm(id)).toEqual(mcp);
  });

  it('and each further episode counts for itself', async () => {
    await above(80);
    const { id } = await pastEpisode();
    const first = await measure(91);
    const [second] = await alerts();
    expect(second?.id).not.toBe(id);
    expect(second).toMatchObject({ state: 'FIRING', triggerCount: '1', lastRecoverTime: null });
    expect(String(second?.['firstTriggerTime']) >= first).toBe(true);
  });
});

describe('an alarm that fires', () => {
  const rule = (path: string, body: object) => world.admin.data(`${DATA}/rule/${path}`, body);
  it.each([
    ['is changed', 'RULE_CHANGED', (id: string) => rule('update', { id, ruleExt: ruleExt(95) })],
    ['is disabled', 'RULE_DISABLED', (id: string) => rule('update', { id, enableFlag: 'DISABLE' })],
    ['is deleted', 'RULE_DELETED', (id: string) => rule('delete', { id })],
  ])('ends, and says why, when its rule %s', async (_what, endReason, happen) => {
    const ruleId = await above(80);
    await measure(81);
    const [firing] = await alerts();
    expect(firing).toMatchObject({ state: 'FIRING', endReason: '' });
    await happen(ruleId);
    const end = { state: 'CLOSED', endReason, condition: 'calValue > 80 °C', triggerCount: '1' };
    expect((await alerts())[0]).toMatchObject(end);
    expect(await readAlarm(firing?.id)).toMatchObject(end);
  });

  it('of an outage keeps when it began and ended, and ends with its device', async () => {
    const { deviceId, driverCode } = site;
    const { tenantId } = world.admin;
    const heartbeat = (leaseMs: number) => {
      const devices = [{ tenantId, deviceId, status: 'ONLINE' as const, description: '' }];
      const state = {
        driverCode,
        node: world.app.config.node,
        at: world.clock.now(),
        leaseMs,
        devices,
      };
      return world.bus.handled('svc.e.state', state, driverCode);
    };
    await heartbeat(1);
    world.clock.shift(MINUTE);
    await scanOutages(world.app);
    await heartbeat(45_000);
    await scanOutages(world.app);
    const [over] = await alerts('device');
    expect(over).toMatchObject({ state: 'RECOVERED', lastRecoverTime: expect.any(String) });
    world.clock.shift(MINUTE);
    await scanOutages(world.app);
    const again = await alerts('device');
    expect(again).toMatchObject([{ state: 'FIRING' }, over ?? {}]);
    await world.admin.data('/api/v3/manager/device/delete', { id: deviceId });
    await scanOutages(world.app);
    expect((await alerts('device'))[0]).toMatchObject({
      state: 'CLOSED',
      endReason: 'PLACE_DELETED',
    });
  });
});
