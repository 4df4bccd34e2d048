import { beforeEach, describe, expect, it } from 'vitest';

import { MAX_AGGREGATED } from '../../src/alarm/condition/aggregate.ts';
import { placesIn } from '../../src/alarm/condition/devices.ts';
import { ruleReport } from '../../src/alarm/explain/rule-report.ts';
import { closeOrphans } from '../../src/alarm/watch/orphan.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import { EntityType } from '../../src/manager/entity/entity-type.ts';
import { messagesAt } from '../support/devices/messages.ts';
import { addTo, channelTo, DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { doorsIn, hot } from '../support/runs/rules/doors.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { taken, shortOf, later, reset } = messagesAt(hook, world, () => session);
let session: Session;

describe('the alarm of devices that are judged together', () => {
  let of: Awaited<ReturnType<typeof doorsIn>>;
  beforeEach(async () => {
    reset();
    session = await world.tenant(fresh('together'));
    of = await doorsIn(world, session);
  });

  /** The id of a policy whose messages a webhook gets. */
  async function channelled(notify: object = {}): Promise<string> {
    const notifyId = await addTo(session, 'notify', { notifyName: fresh('policy'), ...notify });
    const channelId = await channelTo(session, { target: hook.url });
    await addTo(session, 'notify/channel/bind', { notifyId, channelId });
    return notifyId;
  }
  /** The first line of each message, without how long the alarm lasted. */
  const texts = async (count: number): Promise<string[]> => {
    const messages = await eventually(
      async () => taken(),
      (all) => all.length >= count,
    );
    return messages.map(({ data: { text } }) =>
      (text.split('\n')[0] ?? '').replace(/^Over after [^:]+/, 'Over'),
    );
  };
  const reportOf = async () => {
    const [alarm] = await of.alarms();
    const alarmId = String(alarm?.['id']);
    return session.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId });
  };

  const of3 = 'of 3 of 3 devices of "doors"';
  const few = { condition: { ...hot, operator: '<', threshold: 2 }, maxAge: 'PT1S' };
  it.each([
    [
      { function: 'NONE' },
      {},
      [20, 21, 22],
      [20, 81, 22],
      [
        `"temperature" (of no device): > 80 °C, 0 match, ${of3}`,
        `Over: "temperature" (of no device): no longer > 80 °C, 1 match, ${of3}: "Door 2"`,
      ],
      { condition: '(of no device) > 80 °C', value: '0 of 3 devices', margin: null },
    ],
    [
      { function: 'ANY', atLeast: 2 },
      {},
      [90, 20, 95],
      [20, 20, 95],
      [
        `"temperature" (of 2 devices at least): > 80 °C, 2 match, ${of3}: "Door 1", "Door 3"`,
        `Over: "temperature" (of 2 devices at least): no longer > 80 °C, 1 match, ${of3}: "Door 3"`,
      ],
      { condition: '(of 2 devices at least) > 80 °C', value: '2 of 3 devices', margin: null },
    ],
    [
      { function: 'MEAN' },
      {},
      [80, 81, 82],
      [80, 80, 80],
      [
        `"temperature" (mean of the devices) is 81 °C, above 80 °C by 1 °C, ${of3}`,
        `Over: "temperature" (mean of the devices) is 80 °C, ${of3}`,
      ],
      { condition: '(mean of the devices) > 80 °C', value: '81 °C', margin: '1 °C' },
    ],
    [
      { function: 'MAX' },
      {},
      [20, 81, 20],
      [20, 20, 20],
      [
        `"temperature" (highest of the devices) is 81 °C, above 80 °C by 1 °C, ${of3}: "Door 2"`,
        `Over: "temperature" (highest of the devices) is 20 °C, ${of3}: "Door 1", "Door 2", "Door 3"`,
      ],
      { condition: '(highest of the devices) > 80 °C', value: '81 °C', margin: '1 °C' },
    ],
    [
      { function: 'COUNT' },
      few,
      [90, undefined, undefined],
      [90, 90, undefined],
      [
        '"temperature" (number of devices with one) is 1, below 2 by 1, of 1 of 3 devices of "doors"',
        'Over: "temperature" (number of devices with one) is 2, of 2 of 3 devices of "doors"',
      ],
      { condition: '(number of devices with one) < 2', value: '1', margin: '1' },
    ],
  ])('says what %j of them is, and of which', async (aggregate, content, fires, ends, said, is) => {
    await of.rule(aggregate, content, { notifyId: await channelled() });
    await of.report(fires);
    await texts(1);
    expect(await reportOf()).toMatchObject(is);
    await of.report(ends, { apart: 5 });
    expect(await texts(2)).toEqual(said);
  });

  it.each(['driver', 'profile'] as const)(
    'ends when the %s of its devices is disabled',
    async (kind) => {
      const ruleId = await of.rule({ function: 'ANY' });
      await of.report([90, 90, 90]);
      const id = of.plant[`${kind}Id`];
      await session.data(`/api/v3/manager/${kind}/update`, { id, enableFlag: 'DISABLE' });
      await acrossTenants(world.app.db, 'sweeper', (q) =>
        closeOrphans(q, new Date(world.clock.now())),
      );
      expect(await of.isFiring(ruleId)).toBe(false);
      expect((await of.alarms())[0]).toMatchObject({ endReason: 'PLACE_LEFT' });
    },
  );

  it('does not wait for devices of a disabled driver', async () => {
    const { profileId } = of.plant;
    const driverId = await add(session, 'driver', {
      driverName: 'another',
      driverCode: fresh('another'),
      serviceName: 'svc-driver-another',
    });
    await of.join(await add(session, 'device', { deviceName: 'Door 4', driverId, profileId }));
    const ruleId = await of.rule({ function: 'ALL' });
    await of.report([90, 90, 90]);
    expect(await of.isFiring(ruleId)).toBe(false);
    await session.data('/api/v3/manager/driver/update', { id: driverId, enableFlag: 'DISABLE' });
    await of.report([90], { apart: 6 });
    expect(await of.isFiring(ruleId)).toBe(true);
  });

  it('is added while the driver of its devices is disabled', async () => {
    const { driverId: id } = of.plant;
    await session.data('/api/v3/manager/driver/update', { id, enableFlag: 'DISABLE' });
    expect(await of.rule({ function: 'ALL', minDevices: 3 })).toMatch(/^\d+$/);
  });

  it('waits for those of its point alone where messages are grouped by device', async () => {
    const notifyExt = { content: { grouping: { by: ['device'], waitMs: 30_000 } } };
    const notifyId = await channelled({ notifyExt });
    const any = { function: 'ANY' };
    await of.rule(any, {}, { notifyId });
    await of.rule(any, {}, { notifyId });
    await of.rule(any, {}, { notifyId, entityId: of.plant.target });
    await of.report([90]);
    await of.report([90], { pointId: of.plant.target });
    await later(31_000);
    await eventually(
      async () => taken(),
      (all) => all.length === 2,
    );
    expect(taken().map(shortOf).toSorted()).toEqual(['alarm.fired 1', 'alarm.fired 2']);
  });

  it('is held back by no maintenance of its only device, in a drill and when it fires', async () => {
    const notifyId = await channelled();
    const devices = { ids: of.doors.slice(0, 1) };
    const ruleId = await of.rule({ function: 'ANY' }, { devices }, { notifyId });
    await addTo(session, 'maintenance', {
      maintenanceName: 'belt change',
      scopeFlag: 'DEVICE',
      entityIds: devices.ids,
      beginTime: '2026-12-06T02:00:00Z',
      endTime: '2026-12-06T05:00:00Z',
    });
    const at = '2026-12-06T03:00:00.000Z';
    const drilled = await session.data(`${DATA}/rule/drill`, { ruleId, at });
    expect(drilled).toMatchObject({ messages: [{ at }] });
    const endTime = new Date(world.clock.now() + 3_600_000).toISOString();
    for (const [scopeFlag, entityIds] of [
      ['DEVICE', devices.ids],
      ['DRIVER', [of.plant.driverId]],
      ['GROUP', [of.groupId]],
    ] as const)
      await addTo(session, 'maintenance', {
        maintenanceName: scopeFlag,
        scopeFlag,
        entityIds,
        endTime,
      });
    await of.report([90]);
    await texts(1);
    expect(taken().map(shortOf)).toEqual(['alarm.fired 1']);
  });

  it('has no unit in the report of a rule that counts', async () => {
    const ruleId = await of.rule({ function: 'COUNT' }, few);
    const report = await ruleReport(world.app, agentIn(session), { ruleId, withValues: false });
    expect(report.condition).toBe('value (number of devices with one) < 2');
  });

  it('is of a hundred devices of a group at most, those with the lowest ids', async () => {
    const { driverId, profileId } = of.plant;
    const { tenantId } = session;
    const ruleId = await of.rule({ function: 'ANY' });
    const places = await inTenant(world.app.db, tenantId, async (q) => {
      const many = Array.from({ length: MAX_AGGREGATED }, (_, index) => `more ${index}`);
      const made = await q
        .insertInto('svc_device')
        .values(
          many.map((name) => ({
            tenantId,
            deviceName: name,
            deviceCode: name,
            driverId,
            profileId,
          })),
        )
        .returning('id')
        .execute();
      await q
        .insertInto('svc_group_bind')
        .values(
          made.map(({ id }) => ({
            tenantId,
            groupId: of.groupId,
            entityTypeFlag: EntityType.DEVICE,
            entityId: id,
          })),
        )
        .execute();
      return placesIn(q, tenantId, ruleId);
    });
    const found = [...(places.of.get(ruleId)?.devices.keys() ?? [])];
    expect(found).toHaveLength(MAX_AGGREGATED);
    expect(found).toEqual(expect.arrayContaining(of.doors));
  });
});
