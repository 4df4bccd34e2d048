import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { addTo, watch } from '../support/devices/notify.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const LEASE_MS = 45_000;
const MINUTE = 60_000;
const driverCode = 'FieldDriver';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
});

const Handover = z.object({
  outages: z.object({ offline: z.number() }),
  unnotified: z.array(z.unknown()),
});
const outages = { notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } } };

/** The driver of these devices says that it serves them; nothing is heard of its others. */
async function heard(
  session: Session,
  deviceIds: readonly string[],
  status: 'ONLINE' | 'OFFLINE' = 'ONLINE',
): Promise<void> {
  const { tenantId } = session;
  const devices = deviceIds.map((deviceId) => ({
    tenantId,
    deviceId,
    status,
    description: '',
  }));
  const at = world.clock.now();
  const state = { driverCode, node: 'field', at, leaseMs: LEASE_MS, devices };
  await world.bus.handled('svc.e.state', state, driverCode);
}

/** Devices of a driver that runs nowhere: only `heard` speaks for it. */
async function devicesOf(session: Session, count: number): Promise<string[]> {
  const driverId = await add(session, 'driver', {
    driverName: 'Field driver',
    driverCode,
    serviceName: 'field',
    serviceHost: '',
  });
  const { profileId } = await onboard(session);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1)
    ids.push(await add(session, 'device', { deviceName: fresh('boiler'), driverId, profileId }));
  return ids;
}

/** What the receiver took of a tenant about the field driver and its devices. */
const saidOf = ({ tenantId }: Session): string[] =>
  hook.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.tenantId === tenantId)
    .map(({ type, data }) => `${type} ${data.target} ${data.message}`)
    .filter((line) => !/LwM2M|Virtual|thermostat/.test(line));

/** The id of the outage whose message begins so. */
async function outageOf(session: Session, begin: string): Promise<string> {
  const page = z
    .object({ records: z.array(z.looseObject({ id: z.string(), message: z.string() })) })
    .parse(await session.data('/api/v3/data/dashboard/alert/page', { size: 200 }));
  return page.records.find(({ message }) => message.startsWith(begin))?.id ?? '';
}

const says = (session: Session, part: string) =>
  eventually(
    async () => saidOf(session),
    (all) => all.some((line) => line.includes(part)),
  );

describe('a driver that is lost', () => {
  it('is one message that names its devices, and one when it is back', async () => {
    const session = await world.tenant('driver-lost');
    const devices = await devicesOf(session, 12);
    await watch(world, { channels: [{ target: hook.url }], ...outages }, session);
    await heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await says(session, 'alarm.fired DRIVER');
    const { outages: away, unnotified } = Handover.parse(
      await session.data('/api/v3/agentic/handover/get'),
    );
    expect(away.offline).toBeGreaterThanOrEqual(12);
    expect(unnotified).toEqual([]);
    await heard(session, devices);
    await scanOutages(world.app);
    await says(session, 'alarm.recovered DRIVER');
    world.clock.shift(LEASE_MS - 5_000);
    await heard(session, devices);
    world.clock.shift(LEASE_MS - 5_000);
    await heard(session, devices);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    expect(saidOf(session)).toEqual([
      expect.stringMatching(
        /^alarm\.fired DRIVER Driver “.+” is offline: .+; it serves 12 devices: “.+ and 7 more$/,
      ),
      expect.stringMatching(/^alarm\.recovered DRIVER /),
    ]);
  });

  it('is confirmed with all that it explains, also when it is over', async () => {
    const session = await world.tenant('cause-confirmed');
    const devices = await devicesOf(session, 3);
    await heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    const cause = await outageOf(session, 'Driver “Field driver”');
    const alert = '/api/v3/data/dashboard/alert';
    const report = () => session.data(`${alert}/report`, undefined, { alarm_id: cause });
    expect(await report()).toMatchObject({ explains: 3, confirmed: false });
    await heard(session, devices);
    await scanOutages(world.app);
    expect(await session.data(`${alert}/confirm_all`, { causeId: cause })).toEqual({
      confirmed: 4,
      notConfirmed: [],
      more: false,
    });
    expect(await report()).toMatchObject({ explains: 0, confirmed: true, state: 'CLOSED' });
  });

  it('is one message, as a device that is, with the rules on their status', async () => {
    const session = await world.tenant('by-rule');
    const [deviceId = '', other = ''] = await devicesOf(session, 2);
    const { notifyId } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    for (const alarmTargetTypeFlag of ['DEVICE', 'DRIVER'])
      await addTo(session, 'rule', {
        ruleName: fresh('away'),
        alarmTargetTypeFlag,
        entityId: '0',
        notifyId,
        ruleExt: {
          content: {
            condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' },
            severity: 'P1',
          },
        },
      });
    await heard(session, [deviceId, other]);
    for (let part = 0; part < 2; part += 1) {
      world.clock.shift(LEASE_MS - 5_000);
      await heard(session, [other]);
    }
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await says(session, 'alarm.fired DEVICE');
    const cause = await outageOf(session, 'Device “boiler');
    const alert = '/api/v3/data/dashboard/alert';
    const explains = (id: string) => session.data(`${alert}/report`, undefined, { alarm_id: id });
    expect(await explains(cause)).toMatchObject({ explains: 1 });
    await heard(session, [deviceId, other]);
    await scanOutages(world.app);
    await says(session, 'alarm.recovered DEVICE');
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await says(session, 'alarm.fired DRIVER');
    expect(await explains(await outageOf(session, 'Driver “Field'))).toMatchObject({ explains: 5 });
    expect(saidOf(session)).toEqual([
      expect.stringMatching(/^alarm\.fired DEVICE Device /),
      expect.stringMatching(/^alarm\.recovered DEVICE /),
      expect.stringMatching(/^alarm\.fired DRIVER Driver /),
    ]);
  });

  it('explains no device that stays away when it is back', async () => {
    const session = await world.tenant('one-stays');
    const devices = await devicesOf(session, 3);
    await watch(world, { channels: [{ target: hook.url }], ...outages }, session);
    await heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await says(session, 'alarm.fired DRIVER');
    const back = devices.slice(1);
    await heard(session, back);
    await scanOutages(world.app);
    await says(session, 'alarm.recovered DRIVER');
    for (let step = 0; step < 2; step += 1) {
      world.clock.shift(LEASE_MS - 5_000);
      await heard(session, back);
    }
    await sweepLedger(world.app);
    await says(session, 'alarm.fired DEVICE');
    expect(saidOf(session).filter((line) => line.startsWith('alarm.fired DEVICE'))).toHaveLength(1);
  });

  it('explains devices whose outages wait for others when it begins', async () => {
    const session = await world.tenant('wait-explained');
    const devices = await devicesOf(session, 3);
    const content = { alarmTypes: ['OFFLINE'], grouping: { by: ['driver'], waitMs: 10 * MINUTE } };
    const notify = { notifyExt: { content } };
    await watch(world, { channels: [{ target: hook.url }], notify }, session);
    await heard(session, devices);
    await heard(session, devices, 'OFFLINE');
    await outageOf(session, 'Device');
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    world.clock.shift(10 * MINUTE);
    await sweepLedger(world.app);
    await says(session, 'alarm.fired DRIVER');
    expect(saidOf(session)).toHaveLength(1);
    const [group] = hook.received
      .map(({ body }) => JSON.parse(body).data)
      .filter(({ message }) => message.includes('Field driver'))
      .map((data) => data.group);
    expect(group).toBeUndefined();
  });

  it('explains nothing to a channel that does not get it', async () => {
    const session = await world.tenant('no-policy');
    const devices = await devicesOf(session, 1);
    await heard(session, devices);
    const { notifyId } = await watch(world, { channels: [{ target: hook.url }] }, session);
    await addTo(session, 'rule', {
      ruleName: fresh('away'),
      alarmTargetTypeFlag: 'DEVICE',
      entityId: devices[0],
      notifyId,
      ruleExt: {
        content: {
          condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' },
          severity: 'P1',
        },
      },
    });
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await says(session, 'alarm.fired DEVICE “away');
  });
});

describe('a device that is away', () => {
  it('is one message: its silent points are explained, unless they are more urgent', async () => {
    const session = await world.tenant('points');
    const [deviceId = ''] = await devicesOf(session, 1);
    const { notifyId } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    for (const severity of ['P2', 'P0'])
      await addTo(session, 'rule', {
        ruleName: severity,
        alarmTargetTypeFlag: 'POINT',
        entityId: '0',
        notifyId,
        ruleExt: {
          content: {
            condition: { operator: 'nodata' },
            window: { duration: 'PT5M' },
            severity,
          },
        },
      });
    await heard(session, [deviceId]);
    for (let minute = 0; minute < 8; minute += 1) {
      world.clock.shift(MINUTE);
      await heard(session, []);
    }
    await scanOutages(world.app);
    await says(session, 'alarm.fired DEVICE');
    await createSilenceScan(world.app)([]);
    await sweepLedger(world.app);
    // Those of other devices, which are not away, are sent.
    const rules = () =>
      hook.received
        .map(({ body }) => JSON.parse(body).data)
        .filter((data) => data.deviceId === deviceId && data.target === 'POINT')
        .map(({ ruleName }) => ruleName);
    await eventually(
      async () => rules(),
      (all) => all.length === 2,
    );
    expect(rules()).toEqual(['P0', 'P0']);
  });

  it('is repeated as often as its policy says, and so is a silence, without another fact', async () => {
    const session = await world.tenant('repeated');
    const [deviceId = ''] = await devicesOf(session, 1);
    const repeat = { enabled: true, intervalMs: 10 * MINUTE, maxTimes: 9 };
    const { notifyId } = await watch(
      world,
      {
        channels: [{ target: hook.url }],
        notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'], repeat } } },
      },
      session,
    );
    await addTo(session, 'rule', {
      ruleName: 'silent',
      alarmTargetTypeFlag: 'POINT',
      entityId: '0',
      notifyId,
      ruleExt: {
        content: {
          condition: { operator: 'nodata' },
          window: { duration: 'PT1M' },
          severity: 'P0',
        },
      },
    });
    await heard(session, [deviceId]);
    for (let minute = 0; minute < 2; minute += 1) {
      world.clock.shift(MINUTE);
      await heard(session, []);
    }
    await scanOutages(world.app);
    await createSilenceScan(world.app)([]);
    const counts = (part: string) => {
      const fired = saidOf(session).filter((line) => line.startsWith('alarm.fired'));
      return fired.filter((line) => line.includes(part)).length;
    };
    // Both points of the three devices.
    const silent = 6;
    for (let round = 1; round <= 4; round += 1) {
      await sweepLedger(world.app);
      await eventually(
        async () => [counts('“boiler'), counts('“silent”')],
        ([away, points]) => away === round && points === round * silent,
      );
      world.clock.shift(10 * MINUTE);
    }
  });
});
