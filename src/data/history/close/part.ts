import type { Queries } from '../../../db/connect.ts';
import { DAY_MS } from '../closed.ts';
import { type Cursor, type HotValue, hotValues, hotValuesOfMoment } from './hot.ts';

/** Hot values that are read by a statement, and removed by one. */
export const MAX_VALUES = 500;
/** Rows that a turn writes at most, or a few more. */
const MAX_GROUPS = 100;
/** More values of one point and one millisecond stay hot. */
const MAX_OF_MOMENT = 10_000;

/** Hot values of a series in one day of UTC that begins at `day` (ms), in their order. */
export type Group = { deviceId: string; pointId: string; day: number; values: HotValue[] };

/** What a turn closes, and where the next one goes on; null at the end of the pass. */
export type Part = { groups: Group[]; next: Cursor | null };

/** The next part of a pass, which closes what was measured before `until`. */
export async function partOf(
  q: Queries,
  tenantId: string,
  from: Cursor,
  until: Date,
): Promise<Part> {
  const read = await hotValues(q, tenantId, from, { until, most: MAX_VALUES + 1 });
  const further = read.length > MAX_VALUES ? read.at(-1) : undefined;
  // Values of a millisecond stay together: a row begins with the first of them.
  const whole = further ? read.filter((value) => !isOfMoment(value, further)) : read;
  if (further && whole.length === 0) {
    const moment = await hotValuesOfMoment(q, tenantId, further, MAX_OF_MOMENT + 1);
    const isTooLarge = moment.length > MAX_OF_MOMENT;
    return { groups: isTooLarge ? [] : groupsOf(moment), next: cursorAt(further, 1) };
  }
  const groups = groupsOf(whole);
  const [beyond] = groups[MAX_GROUPS]?.values ?? [];
  const next = beyond ?? further;
  return { groups: groups.slice(0, MAX_GROUPS), next: next ? cursorAt(next, 0) : null };
}

const msOf = ({ at }: HotValue): number => Math.floor(at / 1_000);

const isOfMoment = (value: HotValue, other: HotValue): boolean =>
  value.deviceId === other.deviceId &&
  value.pointId === other.pointId &&
  msOf(value) === msOf(other);

const cursorAt = (value: HotValue, afterMs: number): Cursor => ({
  deviceId: value.deviceId,
  pointId: value.pointId,
  time: new Date(msOf(value) + afterMs).toISOString(),
});

function groupsOf(values: readonly HotValue[]): Group[] {
  const groups: Group[] = [];
  for (const value of values) {
    const { deviceId, pointId } = value;
    const day = Math.floor(msOf(value) / DAY_MS) * DAY_MS;
    const last = groups.at(-1);
    if (last?.deviceId === deviceId && last.pointId === pointId && last.day === day)
      last.values.push(value);
    else groups.push({ deviceId, pointId, day, values: [value] });
  }
  return groups;
}
