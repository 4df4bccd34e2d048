import { scanHeld } from '../../../../src/alarm/watch/held.ts';
import { createSilenceScan } from '../../../../src/alarm/watch/no-data.ts';
import { addTo } from '../../devices/notify.ts';
import { add, onboardQuiet } from '../../devices/plant.ts';
import { createRandom, type Random } from '../../hostile/random.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { ShiftedClock } from '../../world/shifted-clock.ts';
import { type Compared, Tally } from './compared.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
/** Between two looks of the scans; no value comes when a time of silence ends. */
const TICK = 15 * SECOND;
const STEP = 2 * TICK;
const VALUES = 14;

/** A clock that only the run moves. */
export class StillClock extends ShiftedClock {
  #at = super.now();

  override now(): number {
    return this.#at;
  }

  override shift(ms: number): void {
    super.shift(ms);
    this.#at += ms;
  }
}

const above = { field: 'value', operator: '>', threshold: 60 };
const over = (mode: string, operator: string, threshold: number, more = {}) => ({
  condition: { field: 'value', operator, threshold },
  window: { mode, duration: 'PT2M', ...more },
});

/** Every kind of rule on values, by its name. */
export const kinds: Readonly<Record<string, object>> = {
  limit: { condition: above },
  hold: { condition: above, window: { duration: 'PT90S' } },
  recovery: { condition: above, recovery: { operator: '<', threshold: 40 } },
  'recovery that holds': {
    condition: above,
    recovery: { operator: '<', threshold: 50, duration: 'PT1M' },
  },
  'hold and recovery that hold': {
    condition: above,
    window: { duration: 'PT60S' },
    recovery: { operator: '<', threshold: 60, duration: 'PT90S' },
  },
  'hold and recovery with a longest gap': {
    condition: above,
    window: { mode: 'LAST', duration: 'PT60S', maxGap: 'PT40S' },
    recovery: { operator: '<', threshold: 60, duration: 'PT60S' },
  },
  latched: { condition: above, recovery: { enabled: false } },
  range: { condition: { field: 'value', operator: 'outside', low: 30, high: 70 } },
  text: { condition: { field: 'calValue', operator: 'contains', expected: '7' } },
  quality: { condition: { field: 'quality', operator: 'eq', expected: 'BAD' } },
  levels: {
    condition: above,
    severity: 'P2',
    levels: [{ severity: 'P0', threshold: 85 }],
    recovery: { operator: '<', threshold: 20 },
  },
  set: {
    condition: {
      any: [
        { operator: '>', threshold: 80 },
        { operator: '<', threshold: 20 },
      ],
    },
  },
  formula: { condition: { formula: 'abs(value - 50)', operator: '>', threshold: 30 } },
  silence: { condition: { operator: 'nodata' }, window: { duration: 'PT75S' } },
  mean: over('MEAN', '>', 60),
  'mean that holds': over('MEAN', '>', 55, { hold: 'PT1M' }),
  lowest: over('MIN', '<', 30),
  highest: over('MAX', '>', 80),
  sum: over('SUM', '>', 150),
  count: over('COUNT', '>=', 3),
  rate: over('RATE', '>', 1_500),
  delta: over('DELTA', '>', 25),
  deviation: { condition: { field: 'deviation', operator: 'outside', low: -25, high: 25 } },
  'deviation in percent': {
    condition: { field: 'deviationPercent', operator: '>', threshold: 40 },
    recovery: { operator: '<', threshold: 10 },
  },
  'mean deviation': {
    ...over('MEAN', '>', 10),
    condition: { field: 'deviation', operator: '>', threshold: 10 },
  },
  'aggregate, any two': { condition: above, aggregate: { function: 'ANY', atLeast: 2 } },
  'aggregate, all, held': {
    condition: above,
    window: { duration: 'PT45S' },
    aggregate: { function: 'ALL', minDevices: 2 },
  },
  'aggregate, none': { condition: above, aggregate: { function: 'NONE' } },
  'aggregate, mean': {
    condition: above,
    recovery: { operator: '<', threshold: 45 },
    aggregate: { function: 'MEAN' },
  },
  'aggregate, sum over a window': { ...over('MEAN', '>', 150), aggregate: { function: 'SUM' } },
  'every point': { condition: above, recovery: { operator: '<', threshold: 40 } },
  'every point, held': { condition: above, window: { duration: 'PT90S' } },
};

/** Random series of values, each judged as they come by a rule of its kind, and by a preview of it afterwards. */
export async function runBacktest(
  world: World,
  { seed, series }: { seed: number; series: number },
): Promise<Compared[]> {
  const session = await world.tenant(fresh('backtest'));
  const plant = await onboardQuiet(world, session);
  const { driverId, profileId, temperature, target } = plant;
  const scanSilence = createSilenceScan(world.app);
  const names = Object.keys(kinds);
  const tally = new Tally();
  let seq = 0;
  const group = (): Promise<string> =>
    add(session, 'group', { groupName: fresh('group'), groupTypeFlag: 'DEVICE' });
  const groupId = await group();
  const inGroup = async (of = groupId): Promise<string> => {
    const deviceName = fresh('recorded');
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    await add(session, 'group_bind', { groupId: of, entityTypeFlag: 'DEVICE', entityId: deviceId });
    return deviceId;
  };
  const peers = [await inGroup(), await inGroup(), await inGroup()];

  const valueOf = (deviceId: string, pointId: string, random: Random, isFirst: boolean) => {
    const calValue = String(random.upTo(100));
    // A preview counts silence from its own beginning until the first good value, the evaluation from that of the rule.
    const quality = random.chance(0.1) && !isFirst ? 2 : 0;
    const originTime = world.clock.now();
    const value = { deviceId, pointId, rawValue: calValue, calValue, quality, originTime } as const;
    return { ...value, numValue: quality === 2 ? null : Number(calValue), seq: (seq += 1) };
  };
  /** Of several devices in one batch. */
  const report = async (
    deviceIds: readonly string[],
    pointIds: readonly string[],
    { random, isFirst }: { random: Random; isFirst: boolean },
  ): Promise<void> => {
    const batch = {
      tenantId: session.tenantId,
      driverId,
      driverCode: 'VirtualDriver',
      node: 'test',
    };
    const values = deviceIds.flatMap((deviceId) =>
      pointIds.map((pointId) => valueOf(deviceId, pointId, random, isFirst)),
    );
    await world.bus.handled('svc.e.value', { ...batch, values }, 'VirtualDriver');
  };
  const look = async (): Promise<void> => {
    await scanHeld(world.app, 'value');
    await scanSilence([]);
  };

  for (let n = 0; n < series; n += 1) {
    const kind = names[n % names.length] ?? '';
    const isOfGroup = kind.includes('deviation');
    const isEvery = kind.startsWith('every');
    const entityId = isEvery ? '0' : temperature;
    const points = isEvery ? [temperature, target] : [temperature];
    const isAggregated = kind.startsWith('aggregate');
    const own = isAggregated ? await group() : groupId;
    const content = {
      ...kinds[kind],
      ...(isOfGroup && { peers: { groupId } }),
      ...(isAggregated && { devices: { groupIds: [own] } }),
    };
    const random = createRandom(seed + n);
    const deviceId = await inGroup(own);
    const members = isAggregated ? [await inGroup(own), await inGroup(own)] : peers;
    const ruleId = await addTo(session, 'rule', {
      ruleName: fresh('tried'),
      alarmTargetTypeFlag: 'POINT',
      entityId,
      ruleExt: { content },
    });
    const from = new Date(world.clock.now() + STEP).toISOString();
    for (let count = 0; count < VALUES; count += 1) {
      const steps = count > 0 && random.chance(0.3) ? 1 + random.upTo(6) : 1;
      for (let tick = 1; tick < (steps * STEP) / TICK; tick += 1) {
        world.clock.shift(TICK);
        await look();
      }
      world.clock.shift(TICK);
      const others = isOfGroup || isAggregated ? members.filter(() => random.chance(0.5)) : [];
      const isApart = random.chance(0.5);
      if (isApart && others.length > 0) {
        await report(others, points, { random, isFirst: count === 0 });
        // The scans look at whole ticks after what holds for a time.
        if (!kind.endsWith('held')) world.clock.shift(1);
      }
      const devices = isApart ? [deviceId] : [...others, deviceId];
      await report(devices, points, { random, isFirst: count === 0 });
      await look();
    }
    const watched = isEvery ? { alarmTargetTypeFlag: 'POINT', entityId } : { pointId: entityId };
    const place = isAggregated ? watched : { ...watched, deviceId };
    await tally.add(session, kind, { ...place, ruleExt: { content }, ruleId, from });
    await session.data(`${DATA}/rule/delete`, { id: ruleId });
  }
  return tally.all;
}
