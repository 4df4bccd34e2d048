import type { Queries } from '../../db/connect.ts';
import { writesOf } from '../action/card/card.ts';
import { isSame } from '../action/card/notes.ts';
import { isAt, isFor, type Place } from '../action/card/place.ts';
import { ACTION_STATUS } from '../action/kind/status.ts';
import { cardOf } from '../action/view.ts';

const WITHIN_MS = 24 * 3_600_000;
const LOOKED_AT = 20;

/** Rejected proposals for the point within the day before `now` (ms since the epoch), newest first. */
export const rejectedFor = (q: Queries, place: Place, now: number) =>
  q
    .selectFrom('svc_action')
    .select(['payload', 'decidedTime', 'decidedName', 'comment'])
    .where('tenantId', '=', place.tenantId)
    .where(isFor(place, ACTION_STATUS.REJECTED))
    .where('status', '=', ACTION_STATUS.REJECTED)
    .where('decidedTime', '>', new Date(now - WITHIN_MS))
    .orderBy('decidedTime', 'desc')
    .limit(LOOKED_AT)
    .execute();

/** The newest of them that proposed `value` (canonical text) there, for its card. */
export function rejectionOf(
  rows: Awaited<ReturnType<typeof rejectedFor>>,
  place: Place,
  value: string,
) {
  const row = rows.find((one) =>
    writesOf(cardOf(one)).some((write) => isAt(place, write) && isSame(write.proposedValue, value)),
  );
  if (!row?.decidedTime) return null;
  return { at: row.decidedTime.toISOString(), by: row.decidedName, why: row.comment };
}
