import { z } from 'zod';

import { report } from '../../../tools/agent.ts';
import { addTo, channelTo, DATA, FAILED, SUCCESS } from '../../devices/notify.ts';
import { spawnDevice } from '../../devices/simulator.ts';
import { startWebhookReceiver } from '../../neighbours/webhook-receiver.ts';
import { ACTIONS } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import { AnyRecords } from '../../people/shapes.ts';
import { startWorld, type World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { confirmSeen } from '../confirm-seen.ts';
import { agentOf, personOf } from './people.ts';
import { dayOf, type Sample } from './series.ts';
import { buildSite, endpointOf, SET_POINT, type Site } from './site.ts';
import { deliveriesOf, latestOf, tablesOf } from './tables.ts';

/** The tour takes seconds after a reading, and is over before the next one. */
const READ_CRON = '0/30 * * * * ?';
const POLLED_MS = 40_000;
/** Age of the only value of the paused device. */
const OLD_MS = 40 * 60_000;
export const FLAPS = 6;
const PAUSED = 'Room 202';
/** Of three boilers, the tank, one thermostat, and the old one of the paused. */
const READINGS = 3 * 4 + 2 + 2 + 1;
const Proposed = z.object({ actionId: z.string() });

export type Plant = Awaited<ReturnType<typeof startPlant>>;

/**
 * A boiler house with the faults of a day: a spike, a gap, a drift, a paused thermostat and one that never
 * connected, a pump that does not run, below a rule that flaps, and texts that give orders. Three people
 * and two programs; the drivers read its simulated devices.
 */
export async function startPlant(
  seed: number,
  {
    allow = [],
    before,
  }: { allow?: readonly string[]; before?(admin: Session): Promise<void> } = {},
) {
  await using started = new AsyncDisposableStack();
  const duty = await startWebhookReceiver();
  started.defer(() => duty.stop());
  const world = await startWorld({
    environment: {
      SVC_EGRESS_ALLOW: [`webhook:${duty.hostPort}`, ...allow].join(','),
      SVC_DRIVER_READ_CRON: READ_CRON,
    },
  });
  started.defer(() => world.stop());
  const admin = await world.tenant('heat');
  await before?.(admin);
  const site = await buildSite(admin);
  for (const { name, lifetimeS } of [
    { name: 'Room 201', lifetimeS: 60 },
    { name: PAUSED, lifetimeS: 2 },
  ]) {
    const device = spawnDevice({ endpoint: endpointOf(name), port: world.lwm2mPort, lifetimeS });
    started.defer(() => device.kill());
    await device.next('registered');
    if (name === PAUSED) device.pause();
  }
  const [anna, ben, cleo] = await Promise.all([
    personOf(admin, 'anna', 'operator'),
    personOf(admin, 'ben', 'operator'),
    personOf(admin, 'cleo', 'admin'),
  ]);
  const [agent, planner] = await Promise.all([agentOf(admin, 'tour'), agentOf(admin, 'planner')]);
  started.defer(async () => void (await Promise.all([agent.close(), planner.close()])));
  await reportOld(world, admin, site);
  const series = await seedHistory(world, admin, site, seed);
  await addRules(admin, cleo, site, duty.url);
  await flap(world, admin, site);
  await eventually(
    () => latestOf(world, admin),
    (rows) => rows.length === READINGS,
    POLLED_MS,
  );
  await eventually(
    () => deliveriesOf(world, admin),
    (rows) =>
      rows.length === 2 && rows.every(({ statusFlag }) => [SUCCESS, FAILED].includes(statusFlag)),
    POLLED_MS,
  );
  await eventually(
    async () =>
      AnyRecords.parse(await admin.data(`${DATA}/dashboard/alert/page`, { source: 'device' })),
    ({ records }) => records.length === 1,
    POLLED_MS,
  );
  const stop = started.move();
  return {
    world,
    site,
    series,
    agent,
    people: { admin, anna, ben, cleo },
    /** Notifications of alarms that reached the receiver; it also hears that mail fails. */
    notified: () => duty.received.filter(({ body }) => body.includes('"type":"alarm.')).length,
    tables: () => tablesOf(world, admin),
    /** Another program proposed, Ben confirmed; answers when the write has its result. */
    async plannedWrite() {
      const args = { pointId: `boiler 2 ${SET_POINT}`, value: 58, reason: 'night' };
      const { structuredContent } = await planner.call('writePointValue', args);
      const { actionId } = Proposed.parse(structuredContent);
      await confirmSeen(ben, actionId, 10_000);
    },
    confirm: (actionId: string) => confirmSeen(anna, actionId, 10_000),
    reject: (actionId: string, reason: string) =>
      anna.data(`${ACTIONS}/reject`, { action_id: actionId, reason }),
    stop: () => stop.disposeAsync(),
  };
}

/** The paused thermostat said its set-point for the last time a while ago, as its driver put it on the bus. */
async function reportOld(world: World, session: Session, site: Site): Promise<void> {
  world.clock.shift(-OLD_MS);
  await report(world, session, site.place(PAUSED, 'set-point'), [20]);
  world.clock.shift(OLD_MS);
}

async function seedHistory(world: World, session: Session, site: Site, seed: number) {
  const end = world.clock.now() - 60_000;
  const series: Record<string, Sample[]> = {};
  const faults = ['spike', 'gap', 'drift'] as const;
  for (const [index, fault] of faults.entries()) {
    const name = `Boiler ${index + 1}`;
    const samples = dayOf(seed + index, end, fault);
    const { deviceId, pointId } = site.place(name, 'outlet temperature');
    const values = samples.map(({ at, value }) => ({
      deviceId,
      pointId,
      value: String(value),
      createTime: new Date(at).toISOString(),
    }));
    await session.data(`${DATA}/point_value/import`, { values });
    series[name] = samples;
  }
  return series;
}

/** A rule on the pump that fires with the first reading, one that flaps, and who is notified of them. */
async function addRules(session: Session, cleo: Session, site: Site, url: string) {
  const notifyId = await addTo(session, 'notify', { notifyName: 'duty' });
  for (const given of [
    { channelName: 'duty webhook', target: url },
    { channelName: 'duty mail', channelTypeFlag: 'EMAIL', target: 'duty@plant.example' },
  ]) {
    const channelId = await channelTo(session, given);
    await addTo(session, 'notify/channel/bind', { notifyId, channelId });
  }
  const rule = (ruleName: string, pointName: string, condition: object, severity: string) =>
    addTo(session, 'rule', {
      ruleName,
      notifyId: severity === 'P1' ? notifyId : undefined,
      alarmTargetTypeFlag: 'POINT',
      entityId: site.place('Boiler 3', pointName).pointId,
      ruleExt: { content: { condition, severity } },
    });
  await rule(
    'Pump stopped',
    'pump running',
    { field: 'calValue', operator: 'eq', expected: 'false' },
    'P1',
  );
  const pressure = { field: 'calValue', operator: '>', threshold: 4, unit: 'bar' };
  const ruleId = await rule('Pressure high', 'steam pressure', pressure, 'P3');
  const changed = { content: { condition: { ...pressure, threshold: 5 }, severity: 'P3' } };
  await cleo.data(`${DATA}/rule/update`, { id: ruleId, ruleExt: changed });
}

async function flap(world: World, session: Session, site: Site): Promise<void> {
  for (let turn = 0; turn < FLAPS; turn += 1)
    for (const value of [5.5, 2.2])
      await report(world, session, site.place('Boiler 2', 'steam pressure'), [value]);
}
