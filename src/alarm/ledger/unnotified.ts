import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { quotingAnswer } from '../channel/delivery/outcome.ts';
import { isExplained } from '../duty/cause.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import { Known } from '../kind/delivery-status.ts';
import { HeldBack, heldBackIn, reasonWords } from '../kind/held-back.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { withoutRule } from '../message/alarm-event.ts';
import type { Attended } from './attend.ts';
import { combined, notifyWithoutAlarm, policiesOf } from './notify.ts';

/** A channel that does not know of alarms that fire. */
export const Unnotified = z
  .object({
    channelId: AnswerId,
    channelName: z.string(),
    alarms: z.number().int().describe('How many fire and are not known to the channel'),
    since: IsoTime.describe('When the first of them was raised'),
    reason: z.string().describe('Why the first of them is not known'),
    heldBack: HeldBack.nullable().describe('That reason as a code; null: it is of a delivery'),
    isFailing: z
      .boolean()
      .describe('true: its receiver does not take them; false: its policy holds them back'),
    nextTry: IsoTime.nullable().describe('null: when a person changes the channel or its policy'),
  })
  .meta({ id: 'Unnotified' });
export type Unnotified = z.output<typeof Unnotified>;

const GRACE_MS = 60_000;
const MAX_CHANNELS = 10;

/** Whether the entry `l` is that of a channel that is to know of its alarm `a`, which fires, and does not. */
export const isMissed = sql<boolean>`l.end_time is null and l.known_flag = ${sql.lit(Known.NOTHING)}
  and not l.uncalled and a.state_flag = ${sql.lit(RuleStatus.FIRING)} and (l.cause_id = 0 or not ${isExplained})`;

type Row = {
  channelId: string;
  channelName: string | null;
  alarms: number;
  since: Date;
  reason: string;
  isFailing: boolean;
  nextTry: Date | null;
  zone: string | null;
};

function wordsOf(reason: string, zone: string | undefined): string {
  if (reason === '') return 'it is under way';
  return heldBackIn(reason) ? reasonWords(reason, zone) : quotingAnswer(reason);
}

/**
 * The channels of a tenant that do not know of alarms that fire, most alarms first; at most 10. Without a
 * `channelId` only alarms that fire for a minute or more count: a first try takes a moment.
 */
export async function unnotifiedIn(
  q: Queries,
  tenantId: string,
  now: number,
  channelId?: string,
): Promise<Unnotified[]> {
  const before = new Date(channelId === undefined ? now - GRACE_MS : now);
  const { rows } = await sql<Row>`
    select l.channel_id as "channelId", c.channel_name as "channelName", count(*)::int as alarms,
      min(l.create_time) as since, (array_agg(l.reason order by l.create_time))[1] as reason,
      bool_or(l.failure_count > 0 or coalesce(h.retry_count, 0) > 0) as "isFailing",
      min(coalesce(l.due_time, h.next_try_time)) as "nextTry",
      (select timezone from svc_tenant where id = ${tenantId}) as zone
    from svc_notify_ledger l
    join svc_entity_alarm a on a.tenant_id = l.tenant_id and a.id = l.alarm_id
    left join svc_notify_channel c on c.tenant_id = l.tenant_id and c.id = l.channel_id
    left join svc_notify_history h on h.tenant_id = l.tenant_id and h.id = l.history_id
    where l.tenant_id = ${tenantId} and ${isMissed} and l.create_time <= ${before}
      ${channelId === undefined ? sql`` : sql`and l.channel_id = ${channelId}`}
    group by l.channel_id, c.channel_name
    order by alarms desc, since limit ${MAX_CHANNELS}`.execute(q);
  return rows.map(({ channelName, since, reason, nextTry, zone, ...row }) => ({
    ...row,
    channelName: channelName ?? 'deleted channel',
    since: since.toISOString(),
    heldBack: heldBackIn(reason)?.code ?? null,
    reason: wordsOf(reason, zone ?? undefined),
    nextTry: nextTry?.toISOString() ?? null,
  }));
}

/** For people and agents, in their time zone. */
export function unnotifiedLine(
  { channelName, alarms, since, reason, nextTry }: Unnotified,
  zone?: string,
): string {
  const them = alarms === 1 ? 'a firing alarm' : `${alarms} firing alarms`;
  const next = nextTry === null ? '' : `; the next try is at ${inZone(nextTry, zone)}`;
  return `The channel ${quoted(channelName)} does not know of ${them} since ${inZone(since, zone)}: ${reason}${next}.`;
}

/** `historyId`: the message that failed; it may be about several alarms. */
type Missed = {
  tenantId: string;
  channelId: string;
  alarmId: string;
  notifyId: string;
  historyId: string;
};

/** Channels of the same policy that get a report. */
export const MAX_OTHERS = 3;

/**
 * Reports over other channels that one does not know of firing alarms: up to three of the same policy that know of the
 * alarm, and those of policies for CHANNEL. Once for all alarms that its receiver does not take at present.
 */
export async function reportUnnotified(
  q: Queries,
  { tenantId, channelId, alarmId, notifyId, historyId }: Missed,
  now: number,
): Promise<Attended> {
  const before = await q
    .selectFrom('svc_notify_ledger')
    .select('alarmId')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .where('endTime', 'is', null)
    .where('failureCount', '>', 0)
    .where('alarmId', '!=', alarmId)
    .where('historyId', '!=', historyId)
    .limit(1)
    .executeTakeFirst();
  const alarm = before ? undefined : await findRow(q, 'svc_entity_alarm', tenantId, alarmId);
  const [line] = alarm ? await unnotifiedIn(q, tenantId, now, channelId) : [];
  if (!alarm || !line) return combined([]);
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('timezone')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  const about = {
    ...withoutRule({ tenantId, alarmId: '0', type: 'REPORT' }),
    name: 'A channel does not know of firing alarms',
    about: 'channel' as const,
    level: nameOf(AlarmLevel, alarm.alarmLevelFlag),
    target: 'EVENT' as const,
    entityId: '0',
    deviceId: '0',
    message: unnotifiedLine(line, tenant?.timezone),
    occurTime: now,
  };
  const near = await knowing(q, { tenantId, alarmId, notifyId });
  const forChannels = (await policiesOf(q, tenantId, 'CHANNEL')).map((by) => by.notifyId);
  const policies = [...new Set([notifyId, ...forChannels])];
  const takes = (policy: string, channel: string): boolean =>
    channel !== channelId && (forChannels.includes(policy) || near.includes(channel));
  return notifyWithoutAlarm(q, about, { policies, takes }, { now });
}

/** Ids of up to three channels of a policy that know of an alarm, so a report reaches them too. */
async function knowing(
  q: Queries,
  { tenantId, alarmId, notifyId }: Omit<Missed, 'channelId' | 'historyId'>,
): Promise<string[]> {
  const rows = await q
    .selectFrom('svc_notify_ledger')
    .select('channelId')
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('notifyId', '=', notifyId)
    .where('knownFlag', '!=', Known.NOTHING)
    .orderBy('channelId')
    .limit(MAX_OTHERS)
    .execute();
  return rows.map((row) => row.channelId);
}
