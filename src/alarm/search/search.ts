import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { isCurrent, isOfFiring, type Notified, notifiedOf } from '../alarm/notifications.ts';
import { type AlarmSummary, summaryOf } from '../alarm/summary.ts';
import {
  type AlarmCounts,
  countsIn,
  firingRows,
  type FoundRow,
  restingRows,
} from './found-rows.ts';
import { FIRING, mayFire, type Search } from './matching.ts';
import { positionOf, positionText } from './position.ts';

/** The alarms of one rule (or of equal reports) at one place that a search found, shown as one. */
export type FoundAlarm = AlarmSummary & {
  ruleId: string;
  /** ISO-8601. */
  recovered: string | null;
  occurrences: number;
  notified: Notified[];
  /** The rest of the list begins behind it. */
  position: string;
};

export type FoundAlarms = {
  counts: AlarmCounts;
  alarms: FoundAlarm[];
  /** Position behind what was looked at; null at the end of the list. */
  next: string | null;
};

/** A search, how many rows are wanted of it, and `next` or the `position` of an alarm of the page before. */
type Asked = Search & { limit: number; after?: string | undefined };

/**
 * Newest first, or what fires by level and the longest first, then what waits for a confirmation by level, then the rest, newest
 * first; one row for each rule and place. A page that looked at 500 alarms ends, even with fewer rows than asked for.
 */
export const search: Operation<Asked, FoundAlarms> = (app, { tenantId, timezone }, asked) =>
  inOneTrip(app.db, tenantId, (q) =>
    searchIn(q, tenantId, { ...asked, now: app.clock.now(), zone: timezone }),
  );

export async function searchIn(
  q: Queries,
  tenantId: string,
  { limit, after, now, zone, ...wanted }: Asked & { now: number; zone?: string | undefined },
): Promise<FoundAlarms> {
  const from = after === undefined ? null : positionOf(after);
  const asked = { tenantId, search: wanted, limit: limit + 1, after: from, now };
  const isBehindFiring = wanted.newestFirst || (from !== null && from.urgency < FIRING);
  const isAmongFiring = from !== null && !isBehindFiring;
  const [firing, resting, counts] = await Promise.all([
    mayFire(wanted) && !isBehindFiring ? firingRows(q, asked) : [],
    restingRows(q, isAmongFiring ? { ...asked, after: null } : asked),
    countsIn(q, asked),
  ]);
  const found = [...firing, ...resting.rows];
  const shown = found.slice(0, limit).map((row) => foundAlarm(row, zone));
  const last = shown.at(-1);
  const scannedTo = resting.scannedTo && positionText(resting.scannedTo);
  if (found.length > limit) return { counts, alarms: shown, next: last?.position ?? null };
  if (last && scannedTo !== null) last.position = scannedTo;
  return { counts, alarms: shown, next: scannedTo };
}

const foundAlarm = (row: FoundRow, zone?: string): FoundAlarm => ({
  ...summaryOf(row),
  ruleId: row.ruleId,
  recovered: row.lastRecoverTime?.toISOString() ?? null,
  occurrences: row.occurrences,
  notified: row.told
    .filter((one) => isOfFiring(one) && isCurrent(one))
    .map((one) => notifiedOf(one, zone)),
  position: positionText(row),
});
