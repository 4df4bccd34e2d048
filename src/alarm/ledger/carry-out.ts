import type { Queries } from '../../db/connect.ts';
import type { Duty } from '../duty/duty.ts';
import { gatheringOf } from '../duty/group.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import type { Entry } from '../duty/standing.ts';
import type { Bound } from '../duty/terms.ts';
import { Known } from '../kind/delivery-status.ts';
import { reasonWords, UNUSED } from '../kind/held-back.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import type { AlarmEvent } from '../message/alarm-event.ts';
import type { Writing } from '../message/alarm-link.ts';
import { leavesOpen } from '../message/episode-text.ts';
import { composeGroup } from './compose.ts';
import { besideOf, dueOf } from './gather.ts';
import { inherit, type Route, type Used } from './used.ts';
import { drop, noteOf, repeat, type Row, writeConfirmation, writeMessage } from './write.ts';

type Given = {
  alarm: Alarm;
  entry: Entry;
  /** All open ones of the alarm. */
  entries: readonly Entry[];
  duty: Duty;
  /** Null: its channel is disabled or gone. */
  route: Route | null;
  /** Its policy uses the channel. */
  isBound: boolean;
  /** The channels that its policy uses. */
  bound: readonly Bound[];
  /** The message under way names other alarms that fire. */
  isShared: boolean;
  writing: Writing;
  sentTo: readonly string[];
  /** The maintenance that its message mentions; empty without one. */
  marked: string;
  message: AlarmEvent | undefined;
};

/** Why a reminder does not go out. */
const CONFIRMED = 'the alarm was confirmed or acknowledged before it was delivered';
const BEGINS = 'the alarm is sent over this channel again';
/** Why a message gives way to an end. */
const whyEnded = ({ stateFlag }: Alarm, reason = ''): { why?: string } => {
  if (stateFlag === RuleStatus.FIRING) return { why: UNUSED };
  // A report is never over.
  return stateFlag === null ? { why: reasonWords(reason) } : {};
};

/** What a channel knows of an alarm that it is to get anew. */
const NEW = {
  knownFlag: Known.NOTHING,
  knownTime: null,
  firedCount: 0,
  levelFlag: null,
  confirmKnown: false,
  unanswered: false,
};

const IS_OVER = { knownFlag: Known.OVER, unanswered: false };

/** Does what is due and writes where the channel stands then; the notification to publish, if there is one. */
export async function carryOut(q: Queries, given: Given): Promise<Row | null> {
  const { alarm, entry, duty, route } = given;
  const { now } = given.writing;
  const { notifyId, channelId, historyId } = entry;
  const uncalled = 'isCalled' in duty;
  if (duty.do === 'send' && route) return send(q, { ...given, route, sends: duty });
  if (duty.do === 'acknowledge' && route) {
    const to = { notifyId, channel: route.channel };
    const row = await writeConfirmation(q, alarm, to, given.writing);
    await keep(q, entry, now, { historyId: row.id, failureCount: 0, reason: '', dueTime: null });
    return row;
  }
  if (duty.do === 'repeat') {
    await repeat(q, alarm.tenantId, historyId, now);
    await keep(q, entry, now, { dueTime: null });
    return { id: historyId, notifyId, channelId };
  }
  if (duty.do === 'end') return end(q, given, duty);
  if ('drops' in duty) {
    const why =
      'forgets' in duty ? CONFIRMED : 'begins' in duty ? BEGINS : reasonWords(duty.reason);
    await drop(q, alarm.tenantId, historyId, { now, why });
  }
  if (duty.do === 'wait') {
    const { reason, until, causeId = '0', forgets, begins } = duty;
    const dueTime = new Date(until);
    // A delivery that failed has its reason from its last try.
    const isSaid = reason !== '' || historyId === '0';
    const forgotten = (forgets ?? begins) && { historyId: '0', failureCount: 0 };
    await keep(q, entry, now, {
      causeId,
      uncalled,
      dueTime,
      ...(isSaid && { reason }),
      ...forgotten,
      ...(begins && NEW),
    });
  }
  // So has one under way.
  else if (duty.do === 'rest') {
    const { reason } = duty;
    await keep(q, entry, now, { dueTime: null, uncalled, ...(reason && { reason }) });
  }
  return null;
}

/** Ends the entry; the policy that sends the alarm over its channel instead takes over what the channel knows. */
async function end(
  q: Queries,
  { alarm, entry, entries, route, writing: { now } }: Given,
  { reason, drops, hands }: Extract<Duty, { do: 'end' }>,
): Promise<null> {
  const isHeir = (one: Entry): boolean =>
    one.notifyId === route?.heirId && one.channelId === entry.channelId;
  const heir = hands === undefined ? undefined : entries.find(isHeir);
  // Its policy began to send the alarm after this look had read the ledger: the next look has it.
  if (hands !== undefined && !heir) {
    await keep(q, entry, now, { dueTime: new Date(now) });
    return null;
  }
  if (drops) await drop(q, alarm.tenantId, entry.historyId, { now, ...whyEnded(alarm, reason) });
  if (hands !== undefined && heir) await inherit(q, entry, heir, { now, hands });
  // The channel gets the end by the other policy; where this one sends the alarm again, it begins anew.
  const known = hands !== undefined && entry.knownFlag === Known.FIRING && IS_OVER;
  await keep(q, entry, now, { reason, dueTime: null, endTime: new Date(now), ...known });
  return null;
}

type Sending = Given & {
  route: Used;
  sends: Extract<Duty, { do: 'send' }>;
};

/** Writes the message that is due, with those that wait for it; null where it waits for others itself. */
async function send(q: Queries, given: Sending): Promise<Row | null> {
  const { alarm, entry, route, sends, writing, sentTo, marked, message } = given;
  const { channel, terms } = route;
  const { now } = writing;
  const { notifyId, messageId, historyId } = entry;
  const { isPager } = channel;
  if (historyId !== '0' && !given.isShared)
    await drop(q, alarm.tenantId, historyId, {
      now,
      ...(sends.event === 'RECOVERED' && whyEnded(alarm)),
    });
  const due = dueOf(alarm, entry, sends);
  const gathering = isPager ? null : await gatheringOf(terms, due, besideOf(q, entry, now), now);
  if (gathering) {
    const { key: gatherKey, until, reason, ends = until } = gathering;
    const gatherTime = ends === null ? null : new Date(ends);
    const waits = { gatherKey, gatherTime, historyId: '0', causeId: '0' };
    const dueTime = new Date(until);
    await keep(q, entry, now, { ...waits, dueTime, reason, uncalled: false });
    return null;
  }
  const { event, isReminder, note = '' } = sends;
  const own = { alarm, isReminder, note, marked };
  const { bound, isBound } = given;
  const asked = { entry, channel, event, terms, bound, isBound };
  const group = isPager ? null : await composeGroup(q, own, asked, writing);
  const reminder = isReminder ? entry.firedCount : 0;
  const row =
    group ??
    (await writeMessage(
      q,
      { alarm, live: leavesOpen(alarm, event) ? undefined : message },
      { notifyId, messageId, channel },
      { ...writing, event, reminder, sentTo, note: noteOf(note, marked) },
    ));
  await keep(q, entry, now, {
    historyId: row.id,
    failureCount: 0,
    reason: '',
    causeId: '0',
    dueTime: null,
    uncalled: false,
    ...(event === 'FIRED' && { levelFlag: alarm.alarmLevelFlag }),
    ...(group && (event === 'FIRED' ? { firedIn: row.id } : { overIn: row.id })),
  });
  return row;
}

type Change = Partial<Omit<Entry, 'tenantId' | 'alarmId' | 'notifyId' | 'channelId'>>;

async function keep(
  q: Queries,
  { tenantId, alarmId, notifyId, channelId }: Entry,
  now: number,
  change: Change,
): Promise<void> {
  await q
    .updateTable('svc_notify_ledger')
    .set({ gatherKey: '', gatherTime: null, ...change, operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .execute();
}
