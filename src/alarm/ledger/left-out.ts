import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';

/** A channel that was not notified, and why. */
export type Suppressed = { channelId: string; reason: string };

/**
 * Adds the channels that a policy left out to the alarm (`alarm_ext.leftOut`), so that it can say which channels
 * were not notified, and why, after its rule state is in another episode. At most once for each event.
 */
export async function keepLeftOut(
  q: Queries,
  { tenantId, id }: { tenantId: string; id: string },
  { event, suppressed, now }: { event: NoticeEvent; suppressed: Suppressed[]; now: number },
): Promise<void> {
  if (suppressed.length === 0) return;
  const at = new Date(now).toISOString();
  const leftOut = suppressed.map((one) => ({ ...one, event: NoticeEvent[event], at }));
  await q
    .updateTable('svc_entity_alarm')
    .set({
      alarmExt: sql`jsonb_set(alarm_ext, '{leftOut}',
        coalesce(alarm_ext -> 'leftOut', '[]') || ${JSON.stringify(leftOut)}::jsonb)`,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}
