import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { type Alarm, alarmEventOf } from '../duty/of-alarm.ts';
import type { Bound } from '../duty/terms.ts';
import {
  allowing,
  DeliveryStatus,
  HistoryEvent,
  MAX_TRIES,
  type NoticeEvent,
} from '../kind/delivery-status.ts';
import { type AlarmEvent, namesOf, noticeOf } from '../message/alarm-event.ts';
import { linkTo, type Writing } from '../message/alarm-link.ts';
import { episodeTextOf, leavesOpen, saysPresent } from '../message/episode-text.ts';
import { presentTextOf } from '../message/present-text.ts';
import { render } from '../message/render.ts';
import { defaultTemplate, templateFor, templatesOf } from '../message/templates.ts';
import { inAscii, quotedNames, variablesOf } from '../message/variables.ts';

/** A notification to publish after the commit. */
export type Row = { id: string; notifyId: string; channelId: string };

type To = { notifyId: string; messageId: string; channel: Bound };
type Occasion = Writing & {
  event: NoticeEvent;
  /** The number of the reminder; 0: none. */
  reminder: number;
  /** Names of the other channels that know of the alarm. */
  sentTo: readonly string[];
  /** Why the channel gets it; empty: it always does. */
  note: string;
  /** Of what is reported without an alarm: the message that brought it. */
  messageOfBus?: string | undefined;
};
/** A stored alarm, or what is reported now, or both. */
export type Subject =
  | { alarm: Alarm; live: AlarmEvent | undefined }
  | { alarm: null; live: AlarmEvent };

/** Writes the pending notification of an event of an alarm to one channel, in the caller's transaction. */
export async function writeMessage(
  q: Queries,
  subject: Subject,
  { notifyId, messageId, channel }: To,
  occasion: Occasion,
): Promise<Row> {
  const { event, now, messageOfBus } = occasion;
  const { alarm } = subject;
  const alarmEvent =
    alarm === null
      ? subject.live
      : (subject.live ?? (await alarmEventOf(q, alarm, { event, now })));
  const { tenantId, alarmId } = alarmEvent;
  const names = await namesOf(q, alarmEvent);
  const { pointName } = names;
  const link = linkTo(occasion, alarmId);
  const present = alarm && saysPresent(alarm, occasion) ? await presentTextOf(q, alarm, now) : '';
  const told = { ...occasion, pointName, link, present };
  const episode = alarm && episodeTextOf(alarm, subject.live, told);
  const variables = variablesOf(alarmEvent, names, { event, now, episode });
  // A template would say that an alarm is over that fires on.
  const isTrue = alarm === null || !leavesOpen(alarm, event);
  const own = templateFor(isTrue ? await templatesOf(q, tenantId, messageId) : [], {
    channelType: channel.channelTypeFlag,
    kind: channel.kind,
    event: event === 'FIRED' && occasion.reminder > 0 ? 'REMINDER' : event,
  });
  const { title, text, used, missing } = own
    ? render(own, variables)
    : render(defaultTemplate(event, variables), quotedNames(variables));
  const id = await insertMessage(q, alarmEvent, {
    to: { notifyId, messageId, channel },
    event,
    now,
    request: {
      title,
      text,
      templateType: own ? 'MESSAGE' : 'DEFAULT',
      variables: used,
      missing,
      notice: noticeOf(alarmEvent, names, event, link),
      messageOfBus,
      ...(occasion.reminder > 0 && { isReminder: true }),
    },
  });
  return { id, notifyId, channelId: channel.id };
}

/** Writes for a pager that a person confirmed an alarm; it takes no template. */
export async function writeConfirmation(
  q: Queries,
  alarm: Alarm,
  { notifyId, channel }: Pick<To, 'notifyId' | 'channel'>,
  writing: Writing,
): Promise<Row> {
  const alarmEvent = await alarmEventOf(q, alarm, { event: 'FIRED', now: writing.now });
  const names = await namesOf(q, alarmEvent);
  const link = linkTo(writing, alarm.id);
  const by = alarm.confirmUserName;
  const id = await insertMessage(q, alarmEvent, {
    to: { notifyId, messageId: '0', channel },
    event: 'CONFIRMED',
    now: writing.now,
    request: {
      title: inAscii(`[${alarmEvent.level}] ${quoted(alarmEvent.name)} confirmed`),
      text: inAscii(by === null ? 'Confirmed' : `Confirmed by ${quoted(by)}`),
      templateType: 'DEFAULT',
      variables: {},
      missing: [],
      notice: { ...noticeOf(alarmEvent, names, 'FIRED', link), event: 'confirmed' },
    },
  });
  return { id, notifyId, channelId: channel.id };
}

/** Why a channel gets an alarm, and the maintenance that the alarm is in; both may be empty. */
export const noteOf = (note: string, marked: string): string =>
  [note, marked === '' ? '' : `In maintenance: ${quoted(marked)}`].filter(Boolean).join('. ');

type Written = {
  to: To;
  event: HistoryEvent;
  now: number;
  request: object;
  /** The rule states of the alarms that it is about, where these are several. */
  ruleStateIds?: readonly string[];
};

/** The pending message of one channel; answers its id. */
export async function insertMessage(
  q: Queries,
  { tenantId, alarmId, ruleId, ruleStateId }: AlarmEvent,
  { to: { notifyId, messageId, channel }, event, now, request, ruleStateIds = [] }: Written,
): Promise<string> {
  const at = new Date(now);
  const { id } = await q
    .insertInto('svc_notify_history')
    .values({
      tenantId,
      ruleId,
      ruleStateId,
      ruleStateIds: sql`${ruleStateIds}::bigint[]`,
      notifyId,
      messageId,
      channelId: channel.id,
      alarmId,
      channelTypeFlag: channel.channelTypeFlag,
      target: channel.target,
      eventFlag: HistoryEvent[event],
      requestExt: JSON.stringify(request),
      nextTryTime: at,
      createTime: at,
      operateTime: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Ends a message that no dispatcher is sending and that is not true any more. */
export async function drop(
  q: Queries,
  tenantId: string,
  id: string,
  { now, why = 'the alarm was over before it was delivered' }: { now: number; why?: string },
): Promise<void> {
  await q
    .updateTable('svc_notify_history')
    .set({
      statusFlag: DeliveryStatus.FAILED,
      nextTryTime: null,
      errorMessage: why,
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('statusFlag', 'in', allowing('drop'))
    .execute();
}

/** Makes a failed message due again, with the same delivery id, for one more try. */
export async function repeat(q: Queries, tenantId: string, id: string, now: number): Promise<void> {
  await q
    .updateTable('svc_notify_history')
    .set({
      statusFlag: DeliveryStatus.RETRY,
      retryCount: MAX_TRIES - 1,
      nextTryTime: new Date(now),
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('statusFlag', 'in', allowing('retry'))
    .execute();
}

/** Notes on alarms and their rule states that a message went out; those that another transaction holds get none. */
export async function noteNotified(
  q: Queries,
  { tenantId, alarmIds }: { tenantId: string; alarmIds: readonly string[] },
  now: number,
): Promise<void> {
  const at = new Date(now);
  const own = sql`tenant_id = ${tenantId}`;
  await sql`
    update svc_entity_alarm set last_notify_time = ${at} where ${own} and id in (select id from svc_entity_alarm
      where ${own} and id = any(${alarmIds}::bigint[]) for update skip locked)`.execute(q);
  await sql`
    update svc_rule_state set last_notify_time = ${at} where ${own} and id in (select id from svc_rule_state
      where ${own} and alarm_id = any(${alarmIds}::bigint[]) for update skip locked)`.execute(q);
}
