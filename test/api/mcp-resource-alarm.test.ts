import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { reportFault } from '../support/devices/fault.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report, type Site } from '../tools/agent.ts';

const DATA = '/api/v3/data';
/** A token lives a quarter of an hour, of the same clock. */
const A_WHILE = 10_000;
const Open = z.object({
  total: z.number(),
  truncated: z.boolean(),
  records: z.array(z.looseObject({ alarmId: z.string(), deviceId: z.string() })),
  pending: z.array(z.looseObject({ ruleId: z.string(), deviceId: z.string() })),
});

let token: string;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read' });
});

/** A policy with one channel; where it leads to does not matter here. */
const policy = () =>
  inTenant(world.app.db, world.admin.tenantId, async (q) => {
    const { tenantId } = world.admin;
    const notify = await q
      .insertInto('svc_notify')
      .values({ tenantId, notifyName: fresh('policy'), autoConfirmFlag: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const channel = await q
      .insertInto('svc_notify_channel')
      .values({ tenantId, channelName: fresh('hook'), channelTypeFlag: 2 })
      .returning('id')
      .executeTakeFirstOrThrow();
    await q
      .insertInto('svc_notify_channel_bind')
      .values({ tenantId, notifyId: notify.id, channelId: channel.id })
      .execute();
    return notify.id;
  });

/** A point of a device whose driver does not run, and a rule that fires above 90 for ten seconds. */
async function watched() {
  const site = await onboard(world.admin, fresh('site'));
  const ruleId = String(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('too hot'),
      alarmTargetTypeFlag: 'POINT',
      entityId: site.pointId,
      notifyId: await policy(),
      ruleExt: {
        content: {
          condition: { field: 'calValue', operator: '>', threshold: 90 },
          window: { duration: 'PT10S' },
          severity: 'P0',
        },
      },
    }),
  );
  return { ...site, ruleId };
}

/** Answers a time before which it was not measured. */
async function measure(site: Site, value: number): Promise<number> {
  const at = world.clock.now();
  await report(world, world.admin, site, [value]);
  return at;
}

const open = async (client: McpClient, deviceId: string) => {
  const { records, pending } = Open.parse(await client.read('svc://alarm/active'));
  return {
    alarms: records.filter((alarm) => alarm.deviceId === deviceId),
    pending: pending.filter((one) => one.deviceId === deviceId),
  };
};

describe.each(Object.entries(clients))('an alarm, read with %s', (_era, connect) => {
  it('shows every transition: pending, firing, recovered, closed, and its confirmation', async () => {
    const client = await connect(world.base, token);
    const site = await watched();
    const { deviceId, ruleId, pointId } = site;

    await measure(site, 80);
    expect(await open(client, deviceId)).toEqual({ alarms: [], pending: [] });

    world.clock.shift(A_WHILE);
    await measure(site, 95);
    expect(await open(client, deviceId)).toMatchObject({
      alarms: [],
      pending: [{ state: 'PENDING', ruleId, target: 'POINT', entityId: pointId }],
    });

    world.clock.shift(A_WHILE);
    await measure(site, 96);
    const firing = await open(client, deviceId);
    expect(firing).toMatchObject({
      alarms: [{ state: 'FIRING', level: 'P0', type: 'RULE', occurrences: 1, confirmed: false }],
      pending: [],
    });
    const alarmId = String(firing.alarms[0]?.alarmId);
    const alarm = `svc://alarm/${alarmId}`;
    expect(await client.read(alarm)).toMatchObject({
      alarmId,
      state: 'FIRING',
      confirmed: false,
      ruleId,
      pointId,
      message: expect.stringContaining('calValue = 96 (> 90)'),
      lastRecoverTime: null,
      lastNotifyTime: expect.any(String),
    });
    expect(notified(await client.read(alarm))).toBe(1);

    world.clock.shift(A_WHILE);
    const recovered = await measure(site, 70);
    const over = await client.read(alarm);
    expect(over).toMatchObject({ state: 'RECOVERED', confirmed: false });
    // Agents read times to the second.
    const second = Math.floor(recovered / 1_000) * 1_000;
    expect(Date.parse(String(over['lastRecoverTime']))).toBeGreaterThanOrEqual(second);
    expect(await open(client, deviceId)).toMatchObject({ alarms: [{ alarmId }] });

    await world.admin.data(`${DATA}/dashboard/alert/confirm`, { source: 'point', id: alarmId });
    expect(await client.read(alarm)).toMatchObject({
      state: 'CLOSED',
      confirmed: true,
      confirmTime: expect.any(String),
    });
    expect(await open(client, deviceId)).toEqual({ alarms: [], pending: [] });
    await client.close();
  });
});

const Counts = z.object({ notifications: z.record(z.string(), z.number()) });
const notified = (alarm: unknown): number =>
  Object.values(Counts.parse(alarm).notifications).reduce((sum, count) => sum + count, 0);

describe('an alarm', () => {
  const oneClient = async () => {
    const [connect] = Object.values(clients);
    if (!connect) throw new Error('no client');
    return connect(world.base, token);
  };

  it('stays as it ended when its rule fires again', async () => {
    const client = await oneClient();
    const site = await watched();
    const fire = async () => {
      await measure(site, 95);
      world.clock.shift(A_WHILE);
      await measure(site, 95);
      world.clock.shift(A_WHILE);
      return String((await open(client, site.deviceId)).alarms[0]?.alarmId);
    };
    const first = await fire();
    await measure(site, 20);
    world.clock.shift(A_WHILE);
    await measure(site, 95);
    expect(await client.read(`svc://alarm/${first}`)).toMatchObject({ state: 'RECOVERED' });
    world.clock.shift(A_WHILE);
    const second = await fire();
    expect(second).not.toBe(first);
    expect(await client.read(`svc://alarm/${first}`)).toMatchObject({
      state: 'RECOVERED',
      firstTriggerTime: expect.any(String),
      lastRecoverTime: expect.any(String),
    });
    expect(await client.read(`svc://alarm/${second}`)).toMatchObject({
      state: 'FIRING',
      firstTriggerTime: expect.any(String),
      lastRecoverTime: null,
    });
    const confirm = { source: 'point', id: first };
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, confirm);
    expect(await client.read(`svc://alarm/${first}`)).toMatchObject({ state: 'CLOSED' });
    expect((await open(client, site.deviceId)).alarms).toMatchObject([{ alarmId: second }]);
    await client.close();
  });

  it('stays as it ended while its rule waits to fire again, and does not', async () => {
    const client = await oneClient();
    const site = await watched();
    await measure(site, 95);
    world.clock.shift(A_WHILE);
    await measure(site, 95);
    const alarmId = String((await open(client, site.deviceId)).alarms[0]?.alarmId);
    for (const value of [20, 95, 20]) await measure(site, value);
    expect(await client.read(`svc://alarm/${alarmId}`)).toMatchObject({
      state: 'RECOVERED',
      confirmed: false,
      firstTriggerTime: expect.any(String),
      lastRecoverTime: expect.any(String),
    });
    const confirm = { source: 'point', id: alarmId };
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, confirm);
    expect(await client.read(`svc://alarm/${alarmId}`)).toMatchObject({ state: 'CLOSED' });
    await client.close();
  });

  it('is active while it fires, confirmed or not, and until it is confirmed where no rule watches it', async () => {
    const client = await oneClient();
    const site = await watched();
    await measure(site, 95);
    world.clock.shift(A_WHILE);
    await measure(site, 95);
    const [burning] = (await open(client, site.deviceId)).alarms;
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, {
      source: 'point',
      id: burning?.alarmId,
    });
    expect((await open(client, site.deviceId)).alarms).toMatchObject([
      { state: 'FIRING', confirmed: true },
    ]);
    const other = await onboard(world.admin, fresh('other'));
    await reportFault(world, world.admin, other.deviceId, 'broken \u202E\u0007pump');
    const [reported] = (await open(client, other.deviceId)).alarms;
    expect(reported).toMatchObject({ state: null, type: 'FAULT', message: '“broken pump”' });
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, {
      source: 'device',
      id: reported?.alarmId,
    });
    expect((await open(client, other.deviceId)).alarms).toEqual([]);
    await client.close();
  });
});
