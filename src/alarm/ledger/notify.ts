import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { wakeExplained } from '../duty/cause.ts';
import { type Duty, dutyOf, type Present, type Terms } from '../duty/duty.ts';
import { firstCalled, standIns } from '../duty/escalation.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import { allowedAt, isFull } from '../duty/recent.ts';
import { channelsOf, policyOf, termsOf } from '../duty/terms.ts';
import { takesLevel } from '../duty/wants.ts';
import { AlarmLevel, type AlarmType } from '../kind/alarm.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';
import type { AlarmEvent } from '../message/alarm-event.ts';
import type { Writing } from '../message/alarm-link.ts';
import { MAX_POLICIES } from '../notify/policy-ext.ts';
import { attend, type Attended, type Suppressed } from './attend.ts';
import { writeMessage } from './write.ts';

/** A policy that an alarm is reported by, with the template of its rule, or without a rule of the policy; '0': none. */
export type By = { notifyId: string; messageId: string };

/**
 * Opens the ledger of an alarm that was just raised, for each channel of its policies, and writes the notifications
 * that are due at once, in the alarm's transaction (docs/specification/notifications.md, Ledger). The caller publishes
 * them after the commit.
 */
export async function notifyFired(
  q: Queries,
  message: AlarmEvent,
  policies: readonly By[],
  writing: Writing,
): Promise<Attended> {
  const { now } = writing;
  const alarm = await rowOf(q, 'svc_entity_alarm', message.tenantId, message.alarmId);
  const leftOut: Suppressed[] = [];
  for (const by of policies) leftOut.push(...(await open(q, alarm, by, now)));
  const { written, suppressed } = await attend(q, alarm, writing, message);
  const all = [...leftOut, ...suppressed];
  await keepLeftOut(q, alarm, { event: 'FIRED', suppressed: all, now });
  return { written, suppressed: all };
}

/** Reports the end of an alarm to the channels that know of it, likewise. */
export async function notifyRecovered(
  q: Queries,
  message: AlarmEvent,
  writing: Writing,
): Promise<Attended> {
  const alarm = await rowOf(q, 'svc_entity_alarm', message.tenantId, message.alarmId);
  const attended = await attend(q, alarm, writing, message);
  await wakeExplained(q, message.tenantId, message.alarmId, writing.now);
  const { suppressed } = attended;
  await keepLeftOut(q, alarm, { event: 'RECOVERED', suppressed, now: writing.now });
  return attended;
}

/** A row for each enabled channel of the policy; answers those that do not want alarms of this level. */
async function open(
  q: Queries,
  { tenantId, id: alarmId, alarmLevelFlag }: Alarm,
  { notifyId, messageId }: By,
  now: number,
): Promise<Suppressed[]> {
  if (!(await policyOf(q, tenantId, notifyId))) return [];
  const channels = await channelsOf(q, tenantId, notifyId);
  const level = nameOf(AlarmLevel, alarmLevelFlag);
  const wanted = channels.filter(({ bind }) => takesLevel(bind, level));
  const at = new Date(now);
  if (wanted.length > 0)
    await q
      .insertInto('svc_notify_ledger')
      .values(
        wanted.map(({ id: channelId }) => ({
          tenantId,
          alarmId,
          notifyId,
          channelId,
          messageId,
          createTime: at,
          operateTime: at,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return channels.flatMap((channel) =>
    wanted.includes(channel) ? [] : [{ channelId: channel.id, reason: 'LEVEL' }],
  );
}

/**
 * Adds the channels that a policy left out to the alarm (`alarm_ext.leftOut`), so that it can say which channels
 * were not notified, and why, after its rule state is in another episode. At most once for each event.
 */
async function keepLeftOut(
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

/** The policies that list a type of alarm: those of alarms without a rule. */
export async function policiesOf(
  q: Queries,
  tenantId: string,
  type: keyof typeof AlarmType | 'IDENTITY' | 'CHANNEL',
): Promise<By[]> {
  return q
    .selectFrom('svc_notify')
    .select(['id as notifyId', 'messageId'])
    .where('tenantId', '=', tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .where(sql<boolean>`notify_ext #> '{content,alarmTypes}' @> ${JSON.stringify([type])}::jsonb`)
    .orderBy('id')
    .limit(MAX_POLICIES)
    .execute();
}

/**
 * The policies that take what is reported without an alarm, and which of their channels, whatever the step of
 * escalation; without `takes` those that are called first.
 */
type Audience = {
  policies: readonly string[];
  takes?: (notifyId: string, channelId: string) => boolean;
};

/**
 * Writes what is reported without an alarm, which no ledger follows: to the channels of the policies that take it now.
 * `messageOfBus` is the id of the message that brought it.
 */
export async function notifyWithoutAlarm(
  q: Queries,
  message: AlarmEvent,
  { policies, takes }: Audience,
  { now, messageOfBus }: { now: number; messageOfBus?: string },
): Promise<Attended> {
  const { tenantId } = message;
  const subject = { alarm: null, live: message };
  const all: Attended = { written: [], suppressed: [] };
  const about = { event: 'FIRED', reminder: 0, sentTo: [], note: '', consoleUrl: null } as const;
  const occasion = { ...about, now, messageOfBus };
  for (const notifyId of policies) {
    const notify = await policyOf(q, tenantId, notifyId);
    if (!notify) continue;
    const channels = await channelsOf(q, tenantId, notifyId);
    const first = firstCalled(notify.policy, message.level, channels);
    const alone = standIns(notify.policy, { level: message.level, now }, channels);
    for (const channel of channels) {
      if (takes && !takes(notifyId, channel.id)) continue;
      const isCalled = takes !== undefined || first.includes(channel.id);
      const terms = termsOf(notify, channel);
      const asked = { ...message, notifyId, channelId: channel.id, terms, now };
      const duty = dutyOfReport(terms, {
        now,
        level: message.level,
        isCalled,
        isStandIn: alone.includes(channel.id),
        allowedAt: await allowedAt(q, asked),
        isFull: await isFull(q, tenantId, channel.id),
      });
      if (!takesLevel(channel.bind, message.level))
        all.suppressed.push({ channelId: channel.id, reason: 'LEVEL' });
      else if (duty.do === 'send')
        all.written.push(
          await writeMessage(q, subject, { notifyId, messageId: '0', channel }, occasion),
        );
      else if ('reason' in duty)
        all.suppressed.push({ channelId: channel.id, reason: duty.reason });
    }
  }
  return all;
}

type Reported = Pick<Present, 'now' | 'level' | 'isStandIn' | 'allowedAt' | 'isFull'> & {
  isCalled: boolean;
};

/** What a channel is to get of what is reported without an alarm. */
export function dutyOfReport(terms: Terms, { isCalled, ...given }: Reported): Duty {
  const { now } = given;
  // Without an alarm there is nothing to confirm, so nothing to escalate.
  const policy = isCalled ? { ...terms.policy, escalation: [] } : terms.policy;
  return dutyOf({ ...terms, policy }, NEW, { ...REPORT, ...given, since: now, stepsFrom: now });
}

const NEW = {
  known: 'NOTHING',
  knownTime: null,
  firedCount: 0,
  confirmKnown: false,
  mayKnow: false,
  sending: null,
  repeatAt: null,
} as const;
const REPORT = {
  state: null,
  isConfirmed: false,
  isAcknowledged: false,
  silencedUntil: null,
  mutedUntil: null,
  explainedBy: '0',
  failedBefore: false,
  isActing: false,
} as const;

/**
 * Publishes written notifications to the bus and logs suppressed ones; a notification that the bus loses
 * stays PENDING until the sweeper finds it.
 */
export async function announceNotifications(
  app: App,
  tenantId: string,
  { written, suppressed }: Attended,
): Promise<void> {
  if (suppressed.length > 0) app.log.info({ tenantId, suppressed }, 'notifications suppressed');
  for (const { id: notifyHistoryId, channelId } of written)
    await app.bus
      .publish('svc.e.notify', { tenantId, notifyHistoryId, channelId }, { key: tenantId })
      .catch((error: unknown) => {
        app.log.warn({ error, notifyHistoryId }, 'notification not published, left to the sweeper');
      });
}

/** Those of several alarms of a tenant together. */
export const combined = (some: readonly Attended[]): Attended => ({
  written: some.flatMap(({ written }) => written),
  suppressed: some.flatMap(({ suppressed }) => suppressed),
});
