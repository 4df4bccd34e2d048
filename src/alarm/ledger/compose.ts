import { type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { NotifyLedgerTable } from '../../db/schema/alarm.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { namesOf, noticeOf } from '../message/alarm-event.ts';
import { linkToAlarms, type Writing } from '../message/alarm-link.ts';
import { clip } from '../message/render.ts';
import { inAscii } from '../message/variables.ts';
import { alarmEventOf } from './of-alarm.ts';
import type { Bound } from './terms.ts';
import { insertMessage, type Row } from './write.ts';

/** Alarms of one message, those that it lists, and those whose ids it has. */
const MAX_ALARMS = 10_000;
const MAX_LISTED = 20;
const MAX_IDS = 500;
const MAX_LINE = 160;

type Asked = {
  entry: Selectable<NotifyLedgerTable>;
  channel: Bound;
  event: NoticeEvent;
  timezone: string;
};

type Listed = {
  id: string;
  level: number;
  message: string;
  name: string | null;
  since: Date;
};

/**
 * Writes one message about an alarm and those that wait with it under its key, whose rows it then is under way for; null
 * where none does. Rows that another transaction holds go with a message of their own.
 */
export async function composeGroup(
  q: Queries,
  { entry, channel, event, timezone }: Asked,
  writing: Writing,
): Promise<Row | null> {
  const { tenantId, notifyId, alarmId } = entry;
  const others = await waitingWith(q, entry, { event, now: writing.now });
  if (others.length === 0) return null;
  const ids = [alarmId, ...others];
  const listed = await mostUrgent(q, tenantId, ids);
  const [first] = listed;
  if (!first) return null;
  const head = await rowOf(q, 'svc_entity_alarm', tenantId, first.id);
  const alarmEvent = await alarmEventOf(q, head, event);
  const link = linkToAlarms(writing, event);
  const shownIds = [first.id, ...ids.filter((id) => id !== first.id)].slice(0, MAX_IDS);
  const id = await insertMessage(q, alarmEvent, {
    to: { notifyId, messageId: '0', channel },
    event,
    now: writing.now,
    request: {
      title: `[${nameOf(AlarmLevel, first.level)}] ${ids.length} alarms ${event === 'FIRED' ? 'fire' : 'are over'}`,
      text: textOf(listed, { count: ids.length, event, timezone, link }),
      templateType: 'GROUP',
      variables: {},
      missing: [],
      notice: {
        ...noticeOf(alarmEvent, await namesOf(q, alarmEvent), event, link),
        group: { count: ids.length, alarmIds: shownIds },
      },
    },
  });
  await sql`
    update svc_notify_ledger set history_id = ${id}, failure_count = 0, reason = '', cause_id = 0, uncalled = false,
      due_time = null, gather_key = '', gather_time = null, operate_time = ${new Date(writing.now)},
      ${sql.ref(event === 'FIRED' ? 'fired_in' : 'over_in')} = ${id},
      level_flag = case when ${event === 'FIRED'} then (select a.alarm_level_flag from svc_entity_alarm a
        where a.tenant_id = svc_notify_ledger.tenant_id and a.id = alarm_id) else level_flag end
    where tenant_id = ${tenantId} and notify_id = ${notifyId} and channel_id = ${channel.id}
      and alarm_id = any(${others}::bigint[])`.execute(q);
  return { id, notifyId, channelId: channel.id };
}

/** The alarms that wait under the key of the entry and are still as the message says, locked. */
async function waitingWith(
  q: Queries,
  { tenantId, notifyId, channelId, alarmId, gatherKey }: Asked['entry'],
  { event, now }: { event: NoticeEvent; now: number },
): Promise<string[]> {
  if (gatherKey === '') return [];
  const holds =
    event === 'FIRED'
      ? sql`coalesce(a.state_flag, ${RuleStatus.FIRING}) = ${RuleStatus.FIRING}`
      : sql`a.state_flag in (${RuleStatus.RECOVERED}, ${RuleStatus.CLOSED})`;
  const { rows } = await sql<{ alarmId: string }>`
    select l.alarm_id as "alarmId" from svc_notify_ledger l
    join svc_entity_alarm a on a.tenant_id = l.tenant_id and a.id = l.alarm_id
    where l.tenant_id = ${tenantId} and l.notify_id = ${notifyId} and l.channel_id = ${channelId}
      and l.gather_key = ${gatherKey} and l.end_time is null and l.history_id = 0 and l.alarm_id <> ${alarmId}
      and ${holds} and not exists (select from svc_rule_state s where s.tenant_id = l.tenant_id
        and s.id = a.rule_state_id and s.silenced_until > ${new Date(now)})
    order by a.alarm_level_flag, l.alarm_id limit ${MAX_ALARMS - 1}
    for update of l skip locked`.execute(q);
  return rows.map((row) => row.alarmId);
}

/** The causes of others first, then by urgency, the oldest first. */
async function mostUrgent(q: Queries, tenantId: string, ids: readonly string[]): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select a.id, a.alarm_level_flag as level, a.message, coalesce(d.device_name, v.driver_name) as name,
      a.create_time as since
    from svc_entity_alarm a
    left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
    left join svc_driver v on v.tenant_id = a.tenant_id and v.id = a.driver_id and a.device_id = 0
    where a.tenant_id = ${tenantId} and a.id = any(${ids}::bigint[])
    order by exists (select from svc_notify_ledger e where e.tenant_id = a.tenant_id and e.cause_id = a.id
        and e.end_time is null) desc, a.alarm_level_flag, a.create_time, a.id
    limit ${MAX_LISTED}`.execute(q);
  return rows;
}

type Said = { count: number; event: NoticeEvent; timezone: string; link: string };

function textOf(listed: readonly Listed[], { count, event, timezone, link }: Said): string {
  const lines = listed.map(({ level, message, name, since }) => {
    const what = name === null ? message : `${quoted(name)}: ${message}`;
    const at = inZone(since, timezone).slice(11, 16);
    return `[${nameOf(AlarmLevel, level)}] ${clip(inAscii(what), MAX_LINE)} (since ${at})`;
  });
  const more = count - listed.length;
  const all =
    event === 'FIRED' ? 'All of them, to confirm after login' : 'All of them, after login';
  return [
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(link === '' ? [] : [`${all}: ${link}`]),
  ].join('\n');
}
