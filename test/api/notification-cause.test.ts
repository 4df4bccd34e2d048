import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { EnableFlag } from '../../src/kernel/input/flag.ts';
import { fieldDriver, LEASE_MS } from '../support/devices/field-driver.ts';
import { addTo, DATA, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';

const MINUTE = 60_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const field = prepared(() => fieldDriver(world, hook));
beforeEach(() => {
  hook.received.length = 0;
});

const Handover = z.object({
  outages: z.object({ offline: z.number() }),
  unnotified: z.array(z.unknown()),
});
const outages = { notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } } };

/** A policy that sends over a channel, too. */
async function alsoBy(session: Session, channelId: string | undefined): Promise<string> {
  const notifyId = await addTo(session, 'notify', { notifyName: fresh('also') });
  await addTo(session, 'notify/channel/bind', { notifyId, channelId });
  return notifyId;
}

/** A driver with one device is lost, whose status a rule watches. */
async function lostWith(session: Session, notifyId: string): Promise<void> {
  const devices = await field.devicesOf(session, 1);
  await field.heard(session, devices);
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
}

describe('a driver that is lost', () => {
  it('is one message that names its devices, and one when it is back', async () => {
    const session = await world.tenant('driver-lost');
    const devices = await field.devicesOf(session, 12);
    await watch(world, { channels: [{ target: hook.url }], ...outages }, session);
    await field.heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await field.says(session, 'alarm.fired DRIVER');
    const { outages: away, unnotified } = Handover.parse(
      await session.data('/api/v3/agentic/handover/get'),
    );
    expect(away.offline).toBeGreaterThanOrEqual(12);
    expect(unnotified).toEqual([]);
    await field.heard(session, devices);
    await scanOutages(world.app);
    await field.says(session, 'alarm.recovered DRIVER');
    world.clock.shift(LEASE_MS - 5_000);
    await field.heard(session, devices);
    world.clock.shift(LEASE_MS - 5_000);
    await field.heard(session, devices);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    expect(field.saidOf(session)).toEqual([
      expect.stringMatching(
        /^alarm\.fired DRIVER Driver “.+” is offline: .+; it serves 12 devices: “.+ and 7 more$/,
      ),
      expect.stringMatching(/^alarm\.recovered DRIVER /),
    ]);
  });

  it('is confirmed with all that it explains, also when it is over', async () => {
    const session = await world.tenant('cause-confirmed');
    const devices = await field.devicesOf(session, 3);
    await field.heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    const cause = await field.outageOf(session, 'Driver “Field driver”');
    const alert = '/api/v3/data/dashboard/alert';
    const report = () => session.data(`${alert}/report`, undefined, { alarm_id: cause });
    expect(await report()).toMatchObject({ explains: 3, confirmed: false });
    await field.heard(session, devices);
    await scanOutages(world.app);
    expect(await session.data(`${alert}/confirm_all`, { causeId: cause })).toEqual({
      confirmed: 4,
      notConfirmed: [],
      more: false,
    });
    expect(await report()).toMatchObject({ explains: 0, confirmed: true, state: 'CLOSED' });
  });

  it('explains no device that stays away when it is back', async () => {
    const session = await world.tenant('one-stays');
    const devices = await field.devicesOf(session, 3);
    await watch(world, { channels: [{ target: hook.url }], ...outages }, session);
    await field.heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await field.says(session, 'alarm.fired DRIVER');
    const back = devices.slice(1);
    await field.heard(session, back);
    await scanOutages(world.app);
    await field.says(session, 'alarm.recovered DRIVER');
    for (let step = 0; step < 2; step += 1) {
      world.clock.shift(LEASE_MS - 5_000);
      await field.heard(session, back);
    }
    await sweepLedger(world.app);
    await field.says(session, 'alarm.fired DEVICE');
    expect(
      field.saidOf(session).filter((line) => line.startsWith('alarm.fired DEVICE')),
    ).toHaveLength(1);
  });

  it('lets the steps of what stays away when it is back begin with the first one then', async () => {
    const session = await world.tenant('steps-explained');
    const devices = await field.devicesOf(session, 2);
    const { notifyId, channelIds } = await watch(
      world,
      { channels: [{ target: hook.url }, { target: `${hook.url}/second` }], ...outages },
      session,
    );
    const escalation = [{ channels: [channelIds[1]], afterMs: 5 * MINUTE }];
    const notifyExt = { content: { alarmTypes: ['OFFLINE'], escalation } };
    await session.data(`${DATA}/notify/update`, { id: notifyId, notifyExt });
    await field.heard(session, devices);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await field.says(session, 'alarm.fired DRIVER');
    world.clock.shift(10 * MINUTE);
    await sweepLedger(world.app);
    const back = devices.slice(1);
    await field.heard(session, back);
    await scanOutages(world.app);
    await field.says(session, 'alarm.recovered DRIVER');
    const stays = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 30_000) {
        world.clock.shift(30_000);
        await field.heard(session, back);
      }
      await sweepLedger(world.app);
    };
    const calls = () => field.pathsOf(session, 'alarm.fired DEVICE');
    await stays(2 * MINUTE);
    await field.says(session, 'alarm.fired DEVICE');
    expect(calls()).toEqual(['/hook']);
    await stays(6 * MINUTE);
    await eventually(
      async () => calls(),
      (all) => all.length === 2,
    );
    expect(calls()).toEqual(['/hook', '/hook/second']);
  });

  it('explains devices whose outages wait for others when it begins', async () => {
    const session = await world.tenant('wait-explained');
    const devices = await field.devicesOf(session, 3);
    const content = { alarmTypes: ['OFFLINE'], grouping: { by: ['driver'], waitMs: 10 * MINUTE } };
    const notify = { notifyExt: { content } };
    await watch(world, { channels: [{ target: hook.url }], notify }, session);
    await field.heard(session, devices);
    await field.heard(session, devices, 'OFFLINE');
    await field.outageOf(session, 'Device');
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    world.clock.shift(10 * MINUTE);
    await sweepLedger(world.app);
    await field.says(session, 'alarm.fired DRIVER');
    expect(field.saidOf(session)).toHaveLength(1);
    const [group] = hook.received
      .map(({ body }) => JSON.parse(body).data)
      .filter(({ message }) => message.includes('Field driver'))
      .map((data) => data.group);
    expect(group).toBeUndefined();
  });

  it('explains nothing to a channel that does not get it', async () => {
    const session = await world.tenant('no-policy');
    const { notifyId } = await watch(world, { channels: [{ target: hook.url }] }, session);
    await lostWith(session, notifyId);
    await field.says(session, 'alarm.fired DEVICE “away');
  });

  it('explains nothing to a channel whose step waits, where another policy calls it at once', async () => {
    const session = await world.tenant('step-elsewhere');
    const { notifyId, channelIds } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    const escalation = [{ channels: channelIds, afterMs: 60 * MINUTE }];
    const notifyExt = { content: { alarmTypes: ['OFFLINE'], escalation } };
    await session.data(`${DATA}/notify/update`, { id: notifyId, notifyExt });
    await lostWith(session, await alsoBy(session, channelIds[0]));
    await field.says(session, 'alarm.fired DEVICE “away');
    expect(field.saidOf(session)).toHaveLength(1);
  });

  it('explains nothing to a channel any more whose policy is switched off', async () => {
    const session = await world.tenant('cause-off');
    const { notifyId, channelIds } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    await lostWith(session, await alsoBy(session, channelIds[0]));
    await field.says(session, 'alarm.fired DRIVER');
    await sweepLedger(world.app);
    expect(field.saidOf(session)).toHaveLength(1);
    const off = { id: notifyId, enableFlag: 'DISABLE' };
    await inTenant(world.app.db, session.tenantId, (q) =>
      q
        .updateTable('svc_notify')
        .set({ enableFlag: EnableFlag.DISABLE })
        .where('tenantId', '=', session.tenantId)
        .where('id', '=', notifyId)
        .execute(),
    );
    world.clock.shift(2 * MINUTE);
    const { unnotified } = Handover.parse(await session.data('/api/v3/agentic/handover/get'));
    expect(unnotified).toEqual([expect.objectContaining({ heldBack: 'EXPLAINED' })]);
    await session.data(`${DATA}/notify/update`, off);
    await field.says(session, 'alarm.fired DEVICE “away');
    await field.says(session, 'alarm.recovered DRIVER');
  });

  it('explains nothing to a channel any more whose policy does not list its type any more', async () => {
    const session = await world.tenant('cause-unlisted');
    const { notifyId, channelIds } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    await lostWith(session, await alsoBy(session, channelIds[0]));
    await field.says(session, 'alarm.fired DRIVER');
    await sweepLedger(world.app);
    expect(field.saidOf(session)).toHaveLength(1);
    await session.data(`${DATA}/notify/update`, { id: notifyId, notifyExt: { content: {} } });
    await field.says(session, 'alarm.fired DEVICE “away');
  });
});
