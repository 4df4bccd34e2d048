import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { UTC } from '../../kernel/sentence/time-zone.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** A moment (ms) and the time zone of the plant (IANA name; absent: UTC). */
export type PlantTime = { now: number; zone?: string | undefined };

const local = (at: number, zone: string = UTC) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

/** When the days of the plant begin (ms): the last `days`, oldest first, today last. */
export function lastDays({ now, zone }: PlantTime, days: number): number[] {
  const today = local(now, zone).startOfDay();
  return Array.from(
    { length: days },
    (_, day) => today.subtract({ days: days - 1 - day }).startOfDay().epochMilliseconds,
  );
}

/** When the hours of the plant's clock begin (ms): the last `count`, oldest first, the present one last. */
export function lastHours({ now, zone }: PlantTime, count: number): number[] {
  const hour = (at: number) =>
    local(at, zone).round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds;
  const starts = new Set<number>();
  for (let back = count - 1; back >= 0; back -= 1) starts.add(hour(now - back * HOUR_MS));
  return [...starts];
}

/** When the present day of the plant began (ms). */
export const midnight = ({ now, zone }: PlantTime): number =>
  local(now, zone).startOfDay().epochMilliseconds;

/** Place in `starts` (ascending, ms) of the last one that is not after `time`; -1 before the first. */
export const placeIn = (starts: readonly number[], time: RawBuilder<unknown>) =>
  sql<number>`width_bucket(${time}, ${starts.map((at) => new Date(at).toISOString())}::timestamptz[]) - 1`;

type Placed = { place: number; count: number };

/** The counts of all places, 0 where no row has it. */
export function filled(starts: readonly number[], rows: readonly Placed[]): number[] {
  const counts = new Map(rows.map(({ place, count }) => [place, count]));
  return starts.map((_, place) => counts.get(place) ?? 0);
}

/** The day of the plant (`2026-11-23`) that begins at `at` (ms). */
export const dateOf = (at: number, zone?: string): string =>
  local(at, zone).toPlainDate().toString();

/** Of an hour of the week on the plant's clock. */
export const Cell = z.object({
  dow: z.number().int().min(1).max(7).describe('Day of the week; 1 is Monday'),
  hour: z.number().int().min(0).max(23),
  count: z.number().int(),
});
export type Cell = z.output<typeof Cell>;

/** Adds up counts of hours by the hour of the week; hours without any are left out. */
export function cellsOf(starts: readonly number[], rows: readonly Placed[], zone?: string): Cell[] {
  const cells = new Map<number, Cell>();
  for (const { place, count } of rows) {
    const { dayOfWeek: dow, hour } = local(starts[place] ?? 0, zone);
    const key = dow * DAY_HOURS + hour;
    cells.set(key, { dow, hour, count: (cells.get(key)?.count ?? 0) + count });
  }
  return [...cells].toSorted(([a], [b]) => a - b).map(([, cell]) => cell);
}
