import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { Reading } from '../command/evidence.ts';
import {
  type ClosedHour,
  hourColumns,
  hoursIn,
  merged,
  momentOf,
  openHour,
} from '../history/closed.ts';
import { firstAt } from '../history/hour.ts';

export const MAX_READINGS = 1_000;
/** Values are committed a little after their reception, not always in order. */
export const OVERLAP_MS = 5_000;

/** The point that was written, and when (ms). */
type Sent = { tenantId: string; deviceId: string; pointId: string; sendTime: number };

/** What came since a time (ms) of the point that was written, in the order in which it came. */
export async function readingsSince(q: Queries, open: Sent, since: number): Promise<Reading[]> {
  const received = since - OVERLAP_MS;
  const reading = q
    .selectFrom('svc_point_value')
    .select(['calValue', 'createTime', 'receiveTime', 'seq'])
    .where('tenantId', '=', open.tenantId)
    .where('deviceId', '=', open.deviceId)
    .where('pointId', '=', open.pointId)
    .where('createTime', '>', new Date(open.sendTime))
    .where('receiveTime', '>', new Date(received))
    .where('quality', '=', Quality.GOOD)
    // A value with an issue (imported, or doubted by its driver) is no evidence.
    .where('issue', 'is', null)
    .orderBy('receiveTime')
    .orderBy('createTime')
    .limit(MAX_READINGS);
  const [hot, closed] = await Promise.all([reading.execute(), closedSince(q, open, received)]);
  return merged(
    closed,
    hot.map((row) => ({
      at: row.createTime.getTime() * 1_000,
      seq: row.seq,
      value: row.calValue,
      originTime: row.createTime.getTime(),
      receiveTime: row.receiveTime.getTime(),
    })),
  )
    .toSorted((a, b) => a.receiveTime - b.receiveTime || a.originTime - b.originTime)
    .slice(0, MAX_READINGS)
    .map(({ value, originTime, receiveTime }) => ({ value, originTime, receiveTime }));
}

/** Of hours that were closed since; only those rows are opened that got a value since. */
async function closedSince(q: Queries, open: Sent, received: number) {
  const reach = { from: momentOf(open.sendTime), to: sql`'infinity'::timestamptz` };
  const { rows } = await sql<ClosedHour>`
    select ${hourColumns} from ${hoursIn(open, reach)} and h.receive_time > ${new Date(received)}
    order by h.start`.execute(q);
  return rows.flatMap((row) => evidenceIn(row, open, received));
}

function evidenceIn(row: ClosedHour, { sendTime }: Sent, received: number) {
  const hour = openHour(row);
  const found = [];
  for (let index = firstAt(hour.at, sendTime * 1_000 + 1); index < hour.count; index += 1) {
    const came = hour.received(index);
    if (came <= received * 1_000 || hour.quality[index] !== Quality.GOOD) continue;
    if (hour.issue(index) !== null) continue;
    const at = hour.at[index] ?? NaN;
    found.push({
      at,
      seq: hour.seq(index),
      value: hour.calValue(index),
      originTime: Math.floor(at / 1e3),
      receiveTime: Math.floor(came / 1e3),
    });
  }
  return found;
}
