import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { MAX_BINDS } from '../notify/bind.ts';
import { settingsOf } from '../notify/channel/channels.ts';
import { BindExt, type NotifyContent, NotifyExt } from '../notify/policy-ext.ts';
import type { Terms } from './duty.ts';

type Policy = {
  policy: NotifyContent;
  notifyInterval: number;
  timezone: string;
  /** The asked rule has it, or is not there. */
  isNamed: boolean;
};

/** Null for a policy that is disabled, deleted or cannot be parsed: no notification is sent. */
export async function policyOf(
  q: Queries,
  tenantId: string,
  notifyId: string,
  { ruleId } = { ruleId: '0' },
): Promise<Policy | null> {
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
    .select(
      sql<boolean>`not exists (select from svc_rule r where r.tenant_id = svc_notify.tenant_id
        and r.id = ${ruleId} and r.notify_id <> svc_notify.id)`.as('isNamed'),
    )
    .where('tenantId', '=', tenantId)
    .where('id', '=', notifyId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  const ext = NotifyExt.safeParse(row?.notifyExt);
  if (!row || !ext.success) return null;
  const { notifyInterval, timezone, isNamed } = row;
  return {
    policy: ext.data.content,
    notifyInterval: Number(notifyInterval),
    timezone: timezone ?? UTC,
    isNamed,
  };
}

/** A channel that a policy may use. */
export type Bound = {
  id: string;
  channelName: string;
  channelTypeFlag: number;
  target: string;
  bind: Terms['bind'];
  /** The form of a vendor that it speaks; empty: none. */
  kind: string;
  /** It knows alarms one by one and groups by itself, so it gets a message for each. */
  isPager: boolean;
  /** The channel sends a message when a person confirms an alarm. */
  acknowledges: boolean;
};

export const termsOf = (
  { policy, notifyInterval, timezone }: Omit<Policy, 'isNamed'>,
  { id, bind, acknowledges }: Bound,
): Terms => ({
  policy,
  notifyInterval,
  timezone,
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
    return ext.success ? [{ ...channel, bind: ext.data.content, ...kindOf(channelExt) }] : [];
  });
}

function kindOf(
  channelExt: Record<string, unknown>,
): Pick<Bound, 'kind' | 'isPager' | 'acknowledges'> {
  const kind = Kind.safeParse(settingsOf(channelExt)).data?.kind ?? '';
  const isPager = PAGERS.includes(kind);
  return { kind, isPager, acknowledges: isPager && kind !== 'alertmanager' };
}

/**
 * How the end of an alarm is sent over an enabled channel that its policy does not use any more: by what is left of the
 * policy and the bind, else by their defaults. Null for a channel that is disabled or gone.
 */
export async function lastTermsOf(
  q: Queries,
  { tenantId, notifyId, channelId }: { tenantId: string; notifyId: string; channelId: string },
): Promise<{ channel: Bound; terms: Terms } | null> {
  const { rows } = await sql<Last>`
    select c.id, c.channel_name as "channelName", c.channel_type_flag as "channelTypeFlag", c.target,
      c.channel_ext as "channelExt", b.bind_ext as "bindExt", n.notify_ext as "notifyExt", t.timezone
    from svc_notify_channel c
    left join svc_notify_channel_bind b on b.tenant_id = c.tenant_id and b.channel_id = c.id and b.notify_id = ${notifyId}
    left join svc_notify n on n.tenant_id = c.tenant_id and n.id = ${notifyId}
    left join svc_tenant t on t.id = c.tenant_id
    where c.tenant_id = ${tenantId} and c.id = ${channelId} and c.enable_flag = ${EnableFlag.ENABLE}`.execute(
    q,
  );
  const [row] = rows;
  if (!row) return null;
  const { channelExt, bindExt, notifyExt, timezone, ...named } = row;
  const bind = (BindExt.safeParse(bindExt).data ?? BindExt.parse({})).content;
  const policy = (NotifyExt.safeParse(notifyExt).data ?? NotifyExt.parse({})).content;
  const channel = { ...named, bind, ...kindOf(channelExt) };
  return {
    channel,
    terms: termsOf({ policy, notifyInterval: 0, timezone: timezone ?? UTC }, channel),
  };
}

type Last = Pick<Bound, 'id' | 'channelName' | 'channelTypeFlag' | 'target'> & {
  channelExt: Record<string, unknown>;
  bindExt: unknown;
  notifyExt: unknown;
  timezone: string | null;
};

const PAGERS = ['pagerduty', 'opsgenie', 'alertmanager'];
const Kind = z.object({ kind: z.string() });
