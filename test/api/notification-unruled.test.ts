import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { reportFault } from '../support/devices/fault.ts';
import { DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import { onboard } from '../support/devices/plant.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startWebhookReceiver, verified } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const lines: string[] = [];

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({
    environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` },
    log: createLog('info', (line) => lines.push(line)),
  }),
);

beforeEach(() => {
  hook.received.length = 0;
});

/** So many notifications of a tenant were taken. */
const settled = (session: Session, count: number) =>
  eventually(
    () => session.data(`${DATA}/notify/history/list`, {}),
    (page) => JSON.stringify(page).split(`"statusFlag":${SUCCESS}`).length === count + 1,
  );

/** docs/specification/service.md, Rules of the service 5: one pipeline for alarms of every origin. */
describe('a policy for alarms that no rule raised', () => {
  it('tells of what is reported, of the types it asks for', async () => {
    const { notifyId } = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: { alarmTypes: ['FAULT'] } } },
    });
    const { measure, plant } = await watch(world, {});
    await measure(20);
    for (const type of ['FAULT', 'REPORT'] as const)
      await world.bus.handled(
        'svc.e.alarm',
        {
          tenantId: world.admin.tenantId,
          target: 'DEVICE',
          entityId: plant.deviceId,
          type,
          source: 'DEVICE_REPORT',
          message: `pump says ${type}`,
          occurTime: world.clock.now(),
        },
        world.admin.tenantId,
      );
    await eventually(
      async () => hook.received.map(({ body }) => body),
      (bodies) => bodies.length === 1 && bodies[0]?.includes('pump says FAULT') === true,
    );
    const rows = await eventually(
      () => world.admin.data(`${DATA}/notify/history/list`, { notifyId }),
      (page) => JSON.stringify(page).includes(`"statusFlag":${SUCCESS}`),
    );
    const channel = { channelTypeFlag: 2, channelTypeName: 'WEBHOOK' };
    const ended = { eventFlag: 'FIRED', statusFlag: SUCCESS, statusName: 'SUCCESS' };
    expect(rows).toMatchObject({ total: 1, records: [{ ruleId: '0', ...channel, ...ended }] });
  });

  it('limits how often one device is told of, hides no other behind it, and logs what it keeps back', async () => {
    const { channelIds } = await watch(world, {
      channels: [{ target: hook.url, bindExt: { rateLimitOverrideMs: 600_000 } }],
      notify: { notifyExt: { content: { alarmTypes: ['FAULT'] } } },
    });
    const devices = [await onboard(world.admin), await onboard(world.admin)];
    for (const round of [1, 2])
      for (const { deviceId } of devices)
        await reportFault(world, world.admin, deviceId, `limited ${round} of ${deviceId}`);
    const kept = () =>
      lines.filter((line) => line.includes(`"channelId":"${channelIds[0]}","reason":"RATE_LIMIT"`));
    await eventually(
      async () => kept().length,
      (count) => count === 2,
    );
    const told = await world.admin.data(`${DATA}/notify/history/list`, {
      channelId: channelIds[0],
    });
    expect(told).toMatchObject({
      total: 2,
      records: devices.toReversed().map(({ deviceId }) => ({
        requestExt: { notice: { deviceId, message: `“limited 1 of ${deviceId}”` } },
      })),
    });
  });

  it('tells of outages and of their end, where it asks for them', async () => {
    const { notifyId } = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } },
    });
    const { deviceId } = await onboard(world.admin);
    const { tenantId } = world.admin;
    const driverCode = 'VirtualDriver';
    // The driver in this process would go on saying that the device is online.
    const removed = { kind: 'removed', driverCode, tenantId, deviceId } as const;
    await world.app.bus.publish('svc.e.metadata', removed, { key: driverCode });
    const served = [{ tenantId, deviceId, status: 'ONLINE' as const, description: '' }];
    const heartbeat = (leaseMs: number, devices = served) => {
      const at = world.clock.now();
      const state = { driverCode, node: world.app.config.node, at, leaseMs, devices };
      return world.bus.handled('svc.e.state', state, driverCode);
    };
    await world.admin.data('/api/v3/auth/tenant/update', {
      id: tenantId,
      timezone: 'Asia/Kolkata',
    });
    await heartbeat(1);
    world.clock.shift(1_000);
    // The driver goes on: else it would be the cause.
    await heartbeat(45_000, []);
    await scanOutages(world.app);
    await scanOutages(world.app);
    await heartbeat(45_000);
    await scanOutages(world.app);
    const Told = z.object({
      records: z.array(
        z.object({
          statusFlag: z.number(),
          eventFlag: z.string(),
          requestExt: z.object({ notice: z.object({ deviceId: z.string() }) }),
        }),
      ),
    });
    const rows = await eventually(
      async () =>
        Told.parse(
          await world.admin.data(`${DATA}/notify/history/list`, { notifyId }),
          // Its driver may be silent too.
        ).records.filter(({ requestExt }) => requestExt.notice.deviceId === deviceId),
      (found) => found.length === 2 && found.every(({ statusFlag }) => statusFlag === SUCCESS),
    );
    expect(rows.map(({ eventFlag }) => eventFlag)).toEqual(['RECOVERED', 'FIRED']);
    const about = hook.received.filter(({ body }) => body.includes(`"deviceId":"${deviceId}"`));
    expect(about.map((request) => verified(webhookSecret, request))).toMatchObject([
      {
        type: 'alarm.fired',
        data: {
          deviceId,
          ruleName: 'OFFLINE',
          level: 'P1',
          message: expect.stringMatching(/ no heartbeat since \S+\+05:30$/),
          occurTime: expect.stringMatching(/Z$/),
        },
      },
      { type: 'alarm.recovered', data: { deviceId, ruleName: 'OFFLINE' } },
    ]);
  });

  it('reminds of a report until it is confirmed', async () => {
    const content = { alarmTypes: ['FAULT'], repeat: { enabled: true, intervalMs: 60_000 } };
    const session = await world.tenant(fresh('reminded'));
    const { plant } = await watch(
      world,
      { channels: [{ target: hook.url }], notify: { notifyExt: { content } } },
      session,
    );
    await reportFault(world, session, plant.deviceId, 'the pump is stuck');
    const taken = () =>
      hook.received
        .map(({ body }) => JSON.parse(body).data)
        .filter(({ tenantId }) => tenantId === session.tenantId);
    const got = (count: number) =>
      eventually(
        async () => taken(),
        (all) => all.length === count,
      );
    const later = async (ms: number): Promise<void> => {
      await sweepLedger(world.app);
      world.clock.shift(ms);
      await sweepLedger(world.app);
    };
    await got(1);
    await settled(session, 1);
    await later(61_000);
    const [first, reminder] = await got(2);
    expect(reminder.subject).toMatch(/^\[P\d\] not confirmed: /);
    expect(reminder.text).toMatch(/^Not confirmed for 1 min.* \(reminder 1\): "the pump is stuck"/);
    await settled(session, 2);
    const confirm = `${DATA}/dashboard/alert/confirm?source=device&id=${first.alarmId}`;
    await session.data(confirm, {});
    await later(10 * 60_000);
    await settled(session, 2);
    expect(taken()).toHaveLength(2);
  });
});
