import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Terms } from '../duty/duty.ts';
import { alarmEventOf } from '../duty/of-alarm.ts';
import { type Entry, levelOf } from '../duty/standing.ts';
import type { Bound } from '../duty/terms.ts';
import { AlarmLevel, ConfirmFlag } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { namesOf, noticeOf } from '../message/alarm-event.ts';
import { linkToAlarms, type Writing } from '../message/alarm-link.ts';
import { clip } from '../message/render.ts';
import { inAscii } from '../message/variables.ts';
import { type Ready, readyWith } from './ready.ts';
import { insertMessage, noteNotified, noteOf, type Row } from './write.ts';

/** A message lists at most so many alarms, and names the ids of at most so many. */
const MAX_LISTED = 20;
const MAX_IDS = 500;
const MAX_LINE = 160;

type Asked = {
  entry: Entry;
  channel: Bound;
  event: NoticeEvent;
  terms: Terms;
  bound: readonly Bound[];
  /** The policy uses the channel. */
  isBound: boolean;
};

type Listed = {
  id: string;
  level: number;
  message: string;
  name: string | null;
  since: Date;
  isConfirmed: boolean;
};

/**
 * Writes one message about an alarm and those that wait with it under its key, whose rows it then is under way for; null
 * where none does. Rows that another transaction holds go with a message of their own.
 */
export async function composeGroup(
  q: Queries,
  own: Ready,
  { entry, channel, event, terms, bound, isBound }: Asked,
  writing: Writing,
): Promise<Row | null> {
  const { tenantId, notifyId } = entry;
  const { now } = writing;
  const others = await readyWith(q, { entry, event, terms, bound, isBound, now });
  if (others.length === 0) return null;
  const all = new Map([own, ...others].map((one) => [one.alarm.id, one]));
  const ids = [...all.keys()];
  const listed = await mostUrgent(q, tenantId, ids);
  const head = all.get(listed[0]?.id ?? '')?.alarm ?? own.alarm;
  const alarmEvent = await alarmEventOf(q, head, { event, now });
  const link = linkToAlarms(writing, event);
  const shownIds = [head.id, ...ids.filter((id) => id !== head.id)].slice(0, MAX_IDS);
  const states = [...all.values()]
    .map(({ alarm }) => alarm.ruleStateId)
    .filter((state) => state !== '0');
  const isAgain = [...all.values()].every(({ isReminder }) => isReminder);
  const hasReport = [...all.values()].some(({ alarm }) => alarm.stateFlag === null);
  const again = hasReport ? 'are not confirmed' : 'still fire';
  const what = event === 'RECOVERED' ? endsOf(all) : isAgain ? again : 'fire';
  const id = await insertMessage(q, alarmEvent, {
    to: { notifyId, messageId: '0', channel },
    event,
    now,
    ruleStateIds: states,
    request: {
      title: `[${levelOf(head)}] ${ids.length} alarms ${what}`,
      text: textOf(listed, all, { event, timezone: terms.timezone, link }),
      templateType: 'GROUP',
      variables: {},
      missing: [],
      notice: {
        ...noticeOf(alarmEvent, await namesOf(q, alarmEvent), event, link),
        group: { count: ids.length, alarmIds: shownIds },
      },
      ...(isAgain && event === 'FIRED' && { isReminder: true }),
    },
  });
  await sql`
    update svc_notify_ledger set history_id = ${id}, failure_count = 0, reason = '', cause_id = 0, uncalled = false,
      due_time = null, gather_key = '', gather_time = null, operate_time = ${new Date(now)},
      ${sql.ref(event === 'FIRED' ? 'fired_in' : 'over_in')} = ${id},
      level_flag = case when ${event === 'FIRED'} then (select a.alarm_level_flag from svc_entity_alarm a
        where a.tenant_id = svc_notify_ledger.tenant_id and a.id = alarm_id) else level_flag end
    where tenant_id = ${tenantId} and notify_id = ${notifyId} and channel_id = ${channel.id}
      and alarm_id = any(${ids.slice(1)}::bigint[])`.execute(q);
  await noteNotified(q, { tenantId, alarmIds: ids.slice(1) }, now);
  return { id, notifyId, channelId: channel.id };
}

/** What a message about ends says of its alarms: those that fire on are not sent to the channel any more. */
function endsOf(all: ReadonlyMap<string, Ready>): string {
  const firing = [...all.values()].filter(({ alarm }) => alarm.stateFlag === RuleStatus.FIRING);
  if (firing.length === 0) return 'are over';
  return firing.length === all.size ? 'are no longer sent here' : 'are over or no longer sent here';
}

/** The causes of others first, then by urgency, the oldest first. */
async function mostUrgent(q: Queries, tenantId: string, ids: readonly string[]): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select a.id, a.alarm_level_flag as level, a.message, coalesce(d.device_name, v.driver_name) as name,
      a.create_time as since, a.confirm_flag = ${ConfirmFlag.CONFIRMED} as "isConfirmed"
    from svc_entity_alarm a
    left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
    left join svc_driver v on v.tenant_id = a.tenant_id and v.id = a.driver_id and a.device_id = 0
    where a.tenant_id = ${tenantId} and a.id = any(${ids}::bigint[])
    order by exists (select from svc_notify_ledger e where e.tenant_id = a.tenant_id and e.cause_id = a.id
        and e.end_time is null) desc, a.alarm_level_flag, a.create_time, a.id
    limit ${MAX_LISTED}`.execute(q);
  return rows;
}

type Said = { event: NoticeEvent; timezone: string; link: string };

function textOf(
  listed: readonly Listed[],
  all: ReadonlyMap<string, Ready>,
  { event, timezone, link }: Said,
): string {
  const lines = listed.map(({ id, level, message, name, since, isConfirmed }) => {
    const what = name === null ? message : `${quoted(name)}: ${message}`;
    const { note = '', marked = '' } = all.get(id) ?? {};
    const said = [
      `since ${inZone(since, timezone).slice(11, 16)}`,
      noteOf(note, marked),
      isConfirmed ? 'confirmed' : '',
    ];
    const more = inAscii(said.filter(Boolean).join('; '));
    return `[${nameOf(AlarmLevel, level)}] ${clip(inAscii(what), MAX_LINE)} (${more})`;
  });
  const more = all.size - listed.length;
  const whole =
    event === 'FIRED' ? 'All of them, to confirm after login' : 'All of them, after login';
  return [
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(link === '' ? [] : [`${whole}: ${link}`]),
  ].join('\n');
}
