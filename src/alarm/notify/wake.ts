import type { Queries } from '../../db/connect.ts';

/**
 * Lets the ledger look again at what channels know (docs/specification/notifications.md, Ledger): the settings of a
 * policy or channel changed, or alarms ended.
 */
export async function wake(
  q: Queries,
  tenantId: string,
  of:
    | { notifyId: string }
    | { channelId: string }
    | { bindId: string }
    | { alarmIds: readonly string[] },
  now: number,
): Promise<void> {
  let query = q
    .updateTable('svc_notify_ledger')
    .set({ dueTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('endTime', 'is', null);
  if ('alarmIds' in of) {
    if (of.alarmIds.length === 0) return;
    query = query.where('alarmId', 'in', of.alarmIds);
  } else if ('notifyId' in of) query = query.where('notifyId', '=', of.notifyId);
  else if ('channelId' in of) query = query.where('channelId', '=', of.channelId);
  else
    query = query.where('channelId', '=', (bind) =>
      bind
        .selectFrom('svc_notify_channel_bind')
        .select('channelId')
        .where('tenantId', '=', tenantId)
        .where('id', '=', of.bindId),
    );
  await query.execute();
}

/** Begin of the reason of a channel that a maintenance keeps from an alarm, which says until when. */
export const MAINTENANCE = 'maintenance until ';

/** Lets the ledger look again at what a maintenance holds back: its end or its mode changed. */
export async function wakeHeld(q: Queries, tenantId: string, now: number): Promise<void> {
  await q
    .updateTable('svc_notify_ledger')
    .set({ dueTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('endTime', 'is', null)
    .where('reason', 'like', `${MAINTENANCE}%`)
    .execute();
}
