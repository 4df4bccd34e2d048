import { approach, noiseAt, seedOf, signalAt } from '../../../driver/virtual/signal.ts';
import type { PlantDevice, PlantPoint } from './plant.ts';
import type { Added } from './rows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const STEP_MS = 5 * MINUTE_MS;
/** As the drivers collect. */
const COLLECTED_MS = 30_000;

/** What happened in the week, by device and point: from the undisturbed value and its age (ms); null: nothing came. */
const TWISTS: Readonly<Record<string, (value: number, age: number) => number | null>> = {
  // A spike of one value.
  'Boiler 1/pressure': (value, age) => (isIn(age, 50 * HOUR_MS, STEP_MS) ? 3.4 : value),
  // A slow leak, until it is as low as it is now.
  'Boiler 2/pressure': (value, age) => value + 0.55 * share(age - 9 * HOUR_MS, 21 * HOUR_MS),
  // A bearing that wears.
  'Feed pump 2/vibration': (value, age) => value - 5 * share(age, 5 * DAY_MS),
  // A gap: the tank did not answer for hours.
  'Buffer tank/level': (value, age) => (isIn(age, 82 * HOUR_MS, 3.5 * HOUR_MS) ? null : value),
  'Buffer tank/temperature': (value, age) =>
    isIn(age, 82 * HOUR_MS, 3.5 * HOUR_MS) ? null : value,
};
/** The set-point of a boiler was another until then. */
const TURNED = { device: 'Boiler 1', from: 70, age: 3 * DAY_MS } as const;

/** Whether `age` is from `start` (excluded) to `start + length` (included). */
const isIn = (age: number, start: number, length: number): boolean =>
  age > start && age <= start + length;
/** 0 before `part` begins, 1 from `whole` on. */
const share = (part: number, whole: number): number => Math.min(1, Math.max(0, part / whole));

export type Sample = { at: number; value: number };

/** Every five minutes of the week before `now`, and of its last hour as collected. */
function timesOfWeek(now: number): number[] {
  const hourAgo = now - HOUR_MS;
  const times: number[] = [];
  for (let at = onGrid(now - WEEK_MS, STEP_MS); at < hourAgo; at += STEP_MS) times.push(at);
  for (let at = onGrid(hourAgo, COLLECTED_MS); at < now; at += COLLECTED_MS) times.push(at);
  return times;
}

const onGrid = (at: number, step: number): number => Math.ceil(at / step) * step;

/**
 * The week of a point: what the virtual driver would have measured with the same ids, and what happened. The same ids and
 * `now` (ms) give the same.
 */
export function pastWeek(
  { device, deviceId, points }: Added,
  point: PlantPoint,
  now: number,
): Sample[] {
  const pointId = points.get(point.pointName) ?? '';
  const seed = seedOf(deviceId, pointId, point.configs['tag'] ?? '');
  const twist = TWISTS[`${device.deviceName}/${point.pointName}`];
  return timesOfWeek(now).flatMap((at) => {
    const calm = undisturbed(device, point, seed, { at, age: now - at });
    const value = twist ? twist(calm, now - at) : calm;
    return value === null ? [] : [{ at, value: Number(value.toFixed(2)) }];
  });
}

function undisturbed(
  device: PlantDevice,
  { configs }: PlantPoint,
  seed: string,
  { at, age }: { at: number; age: number },
): number {
  const number = (code: string): number => Number(configs[code] ?? 0);
  const periodS = number('periodS');
  const kind = configs['signal'];
  if (kind === 'setpoint') return turned(device, number('value'), age, 0);
  if (kind === 'follow') {
    const target = device.points.find(({ pointCode }) => pointCode === configs['follows']);
    const held = turned(device, Number(target?.configs['value']), age, periodS);
    return held + noiseAt(number('noise'), periodS, seed, at);
  }
  if (kind !== 'sine' && kind !== 'random-walk') throw new Error(`the plant has no ${kind}`);
  const bounds = { min: number('min'), max: number('max') };
  return signalAt({ kind, ...bounds, periodS, value: 0 }, seed, at);
}

/** A set-point, or with a time constant what follows it. */
function turned({ deviceName }: PlantDevice, to: number, age: number, periodS: number): number {
  if (deviceName !== TURNED.device) return to;
  if (age > TURNED.age) return TURNED.from;
  return periodS === 0 ? to : approach(TURNED.from, to, TURNED.age - age, periodS);
}
