import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { OPEN_MS } from '../command/evidence.ts';
import { CommandType, UNCERTAIN } from '../command/state.ts';
import { doubtOf, lockOpen, nextWrite, note } from './sweep.ts';

const BATCH = 200;

/** SQL condition: a write to the point of command `c` is uncertain that was sent before it and may be proved. */
export const hasDoubt = (now: number) => sql`exists (
  select from svc_point_command_history w
  where w.tenant_id = c.tenant_id and w.device_id = c.device_id and w.point_id = c.point_id
    and w.type = ${sql.lit(CommandType.WRITE)} and w.status in (${sql.join(UNCERTAIN.map(sql.lit))})
    and w.open_until is null and w.send_time < c.send_time and w.send_time > ${new Date(now - OPEN_MS)})`;

/**
 * Evidence from the answer to a read command sent after the write: the order is certain, no clock is
 * compared. Answers the ids of the changed writes.
 */
export async function readAfter(
  q: Queries,
  app: Pick<App, 'keys'>,
  read: { tenantId: string; deviceId: string; pointId: string; sendTime: Date },
  value: string,
  now: number,
): Promise<string[]> {
  const writes = await q
    .selectFrom('svc_point_command_history')
    .select('commandId')
    .where('tenantId', '=', read.tenantId)
    .where('deviceId', '=', read.deviceId)
    .where('pointId', '=', read.pointId)
    .where('type', '=', CommandType.WRITE)
    .where('status', 'in', UNCERTAIN)
    .where('openUntil', 'is', null)
    .where('sendTime', '<', read.sendTime)
    .where('sendTime', '>', new Date(now - OPEN_MS))
    .orderBy('sendTime', 'desc')
    .limit(BATCH)
    .execute();
  const changed: string[] = [];
  for (const { commandId } of writes) {
    const open = await lockOpen(q, read.tenantId, commandId);
    if (!open || (await nextWrite(q, open))) continue;
    const reading = { value, originTime: now, receiveTime: now };
    const seen = { doubt: doubtOf(open, null), readings: [reading], now };
    if (await note(q, app, open, seen)) changed.push(commandId);
  }
  return changed;
}
