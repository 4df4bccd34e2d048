import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { MAX_BINDS } from '../notify/bind.ts';
import { settingsOf } from '../notify/channel/channels.ts';
import { BindExt, type NotifyContent, NotifyExt } from '../notify/policy-ext.ts';
import type { Terms } from './duty.ts';

/** Null for a policy that is disabled, deleted or cannot be parsed: no notification is sent. */
export async function policyOf(
  q: Queries,
  tenantId: string,
  notifyId: string,
): Promise<{ policy: NotifyContent; notifyInterval: number; timezone: string } | null> {
  if (notifyId === '0') return null;
  const row = await q
    .selectFrom('svc_notify')
    .select(['notifyInterval', 'notifyExt'])
    .select((notify) =>
      notify
        .selectFrom('svc_tenant')
        .select('timezone')
        .whereRef('svc_tenant.id', '=', 'svc_notify.tenantId')
        .as('timezone'),
    )
    .where('tenantId', '=', tenantId)
    .where('id', '=', notifyId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  const ext = NotifyExt.safeParse(row?.notifyExt);
  if (!row || !ext.success) return null;
  const { notifyInterval, timezone } = row;
  return {
    policy: ext.data.content,
    notifyInterval: Number(notifyInterval),
    timezone: timezone ?? UTC,
  };
}

/** A channel that a policy may use. */
export type Bound = {
  id: string;
  channelName: string;
  channelTypeFlag: number;
  target: string;
  bind: Terms['bind'];
  /** It knows alarms one by one and groups by itself, so it gets a message for each. */
  isPager: boolean;
  /** The channel sends a message when a person confirms an alarm. */
  acknowledges: boolean;
};

export const termsOf = (
  notify: Omit<Terms, 'bind' | 'channelId' | 'acknowledges'>,
  { id, bind, acknowledges }: Bound,
): Terms => ({
  ...notify,
  bind,
  acknowledges,
  channelId: id,
});

/** The enabled channels of a policy; a bind that cannot be parsed is skipped. */
export async function channelsOf(q: Queries, tenantId: string, notifyId: string): Promise<Bound[]> {
  const rows = await q
    .selectFrom('svc_notify_channel_bind as bind')
    .innerJoin('svc_notify_channel as channel', (join) =>
      join
        .onRef('channel.tenantId', '=', 'bind.tenantId')
        .onRef('channel.id', '=', 'bind.channelId'),
    )
    .select(['channel.id', 'channel.channelName', 'channel.channelTypeFlag', 'channel.target'])
    .select(['bind.bindExt', 'channel.channelExt'])
    .where('bind.tenantId', '=', tenantId)
    .where('bind.notifyId', '=', notifyId)
    .where('bind.enableFlag', '=', EnableFlag.ENABLE)
    .where('channel.enableFlag', '=', EnableFlag.ENABLE)
    .orderBy('channel.id')
    .limit(MAX_BINDS)
    .execute();
  return rows.flatMap(({ bindExt, channelExt, ...channel }) => {
    const ext = BindExt.safeParse(bindExt);
    const kind = Kind.safeParse(settingsOf(channelExt)).data?.kind ?? '';
    const isPager = PAGERS.includes(kind);
    const acknowledges = isPager && kind !== 'alertmanager';
    return ext.success ? [{ ...channel, bind: ext.data.content, isPager, acknowledges }] : [];
  });
}

const PAGERS = ['pagerduty', 'opsgenie', 'alertmanager'];
const Kind = z.object({ kind: z.string() });
