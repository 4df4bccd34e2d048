import type { App } from '../../app.ts';
import { EnableFlag } from '../../core/flag.ts';
import type { Queries } from '../../db/connect.ts';

export type Notification = {
  tenantId: string;
  alarmId: string;
  ruleId: string;
  /** '0': nobody is told. */
  notifyId: string;
  messageId: string;
  level: number;
  event: 'fired' | 'recovered';
  /** When this rule state last told somebody. */
  lastNotifyTime: Date | null;
  now: number;
};

/**
 * Writes the pending notifications of an alarm, one for each bound channel, in the alarm's own
 * transaction (SPEC.md, States); answers their ids, to be announced after the commit.
 */
export async function enqueueNotifications(q: Queries, given: Notification): Promise<string[]> {
  const { tenantId, notifyId, lastNotifyTime, now } = given;
  if (notifyId === '0' || given.event === 'recovered') return [];
  const notify = await q
    .selectFrom('svc_notify')
    .select('notifyInterval')
    .where('tenantId', '=', tenantId)
    .where('id', '=', notifyId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  if (!notify) return [];
  if (lastNotifyTime && now - lastNotifyTime.getTime() < Number(notify.notifyInterval)) return [];
  const channels = await q
    .selectFrom('svc_notify_channel_bind as bind')
    .innerJoin('svc_notify_channel as channel', (join) =>
      join
        .onRef('channel.tenantId', '=', 'bind.tenantId')
        .onRef('channel.id', '=', 'bind.channelId'),
    )
    .select(['channel.id', 'channel.channelTypeFlag', 'channel.target'])
    .where('bind.tenantId', '=', tenantId)
    .where('bind.notifyId', '=', notifyId)
    .where('bind.enableFlag', '=', EnableFlag.ENABLE)
    .where('channel.enableFlag', '=', EnableFlag.ENABLE)
    .orderBy('channel.id')
    .execute();
  if (channels.length === 0) return [];
  const at = new Date(now);
  const rows = await q
    .insertInto('svc_notify_history')
    .values(
      channels.map((channel) => ({
        tenantId,
        ruleId: given.ruleId,
        notifyId,
        messageId: given.messageId,
        channelId: channel.id,
        alarmId: given.alarmId,
        channelTypeFlag: channel.channelTypeFlag,
        target: channel.target,
        nextTryTime: at,
        createTime: at,
        operateTime: at,
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Hands written notifications to the bus; what is lost here stays pending in the table. */
export async function announceNotifications(
  app: App,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  for (const notifyHistoryId of ids)
    await app.bus
      .publish('svc.e.notify', { tenantId, notifyHistoryId, retryCount: 0 }, { key: tenantId })
      .catch((error: unknown) => {
        app.log.warn({ error, notifyHistoryId }, 'a notification could not be announced');
      });
}
