import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { AlarmType } from '../kind/alarm.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';
import { type AlarmEvent, namesOf, noticeOf, quotedNames, variablesOf } from './alarm-event.ts';
import { deliveryHistoryOf, fullChannels } from './delivery-history.ts';
import { type Bound, channelsOf, policyOf } from './policy-terms.ts';
import { render } from './render.ts';
import { type Terms, suppressionReason } from './suppression.ts';
import { defaultTemplate, templatesOf, templateFor } from './templates.ts';

type Occasion = {
  event: NoticeEvent;
  /** The alarm was already firing. */
  reminder?: boolean;
  /** The alarm fires on after a silence. */
  resumed?: boolean;
  /** '0': no policy, no notification. */
  notifyId: string;
  messageId: string;
  now: number;
  /** Of what is said without an alarm: the message that brought it. */
  messageOfBus?: string;
};

/** A row to publish after the commit. */
type Row = { id: string; channelId: string };

type Suppressed = { channelId: string; reason: string };

/**
 * Suppressed notifications of an alarm without a rule, which no rule state records: logged after the commit.
 */
type Skipped = { alarmId: string; notifyId: string; event: NoticeEvent; suppressed: Suppressed[] };

/** To publish or log after the commit. */
export type Written = Row | Skipped;

/** The written rows, and the channels that the policy or the queue limit left out. */
export type Notified = { written: Row[]; suppressed: Suppressed[] };

const none = (): Notified => ({ written: [], suppressed: [] });

const MAX_POLICIES = 20;

/**
 * Writes the pending notifications of an alarm, one for each channel that its policy allows, in the alarm's
 * own transaction (docs/specification/notifications.md, Pending). The caller publishes them after the commit.
 */
export async function enqueue(
  q: Queries,
  alarmEvent: AlarmEvent,
  given: Occasion,
): Promise<Notified> {
  const { tenantId } = alarmEvent;
  const {
    event,
    reminder = false,
    resumed = false,
    notifyId,
    messageId,
    now,
    messageOfBus,
  } = given;
  const notify = await policyOf(q, tenantId, notifyId);
  // Hot path: while a rule keeps firing, skip the channel queries unless reminders are on.
  if (!notify || (reminder && !notify.policy.repeat?.enabled)) return none();
  const notified = none();
  const silenced = await isSilenced(q, alarmEvent, now);
  const chosen: Bound[] = [];
  for (const bound of await channelsOf(q, tenantId, notifyId)) {
    const terms: Terms = { ...notify, bind: bound.bind };
    const occasion = { event, reminder, resumed, silenced, level: alarmEvent.level, now };
    const past = await deliveryHistoryOf(q, alarmEvent, {
      notifyId,
      channelId: bound.id,
      terms,
      now,
    });
    const reason = suppressionReason(terms, occasion, past);
    if (reason === null) chosen.push(bound);
    else notified.suppressed.push({ channelId: bound.id, reason });
  }
  // RECOVERED goes only to channels that got FIRED, so the queue limit on FIRED bounds both.
  const full =
    event === 'FIRED'
      ? await fullChannels(
          q,
          tenantId,
          chosen.map(({ id }) => id),
        )
      : [];
  notified.suppressed.push(
    ...full.map((channelId) => ({ channelId, reason: 'too much is waiting' })),
  );
  if (!reminder && !resumed)
    await keepLeftOut(q, alarmEvent, { event, suppressed: notified.suppressed, now });
  const taken = chosen.filter(({ id }) => !full.includes(id));
  if (taken.length === 0) return notified;
  const names = await namesOf(q, alarmEvent);
  const variables = variablesOf(alarmEvent, names, { event, reminder, now });
  const notice = noticeOf(alarmEvent, names, event);
  const templates = await templatesOf(q, tenantId, messageId);
  const at = new Date(now);
  const written = await q
    .insertInto('svc_notify_history')
    .values(
      taken.map((channel) => {
        const own = templateFor(templates, channel.channelTypeFlag);
        const on = {
          device: names.deviceName !== '',
          point: names.pointName !== '',
          alarm: alarmEvent.alarmId !== '0',
        };
        const { title, text, used, missing } = own
          ? render(own, variables)
          : render(defaultTemplate(event, on), quotedNames(variables));
        const templateType = own ? 'MESSAGE' : 'DEFAULT';
        return {
          tenantId,
          ruleId: alarmEvent.ruleId,
          ruleStateId: alarmEvent.ruleStateId,
          notifyId,
          messageId,
          channelId: channel.id,
          alarmId: alarmEvent.alarmId,
          channelTypeFlag: channel.channelTypeFlag,
          target: channel.target,
          eventFlag: NoticeEvent[event],
          requestExt: JSON.stringify({
            title,
            text,
            templateType,
            variables: used,
            missing,
            notice,
            messageOfBus,
          }),
          nextTryTime: at,
          createTime: at,
          operateTime: at,
        };
      }),
    )
    .returning(['id', 'channelId'])
    .execute();
  return { ...notified, written };
}

/** Writes the notifications of an alarm without a rule, for every policy that lists its alarm type. */
export async function enqueueWithoutRule(
  q: Queries,
  alarmEvent: AlarmEvent,
  {
    type,
    ...occasion
  }: { type: keyof typeof AlarmType | 'IDENTITY' } & Pick<
    Occasion,
    'event' | 'resumed' | 'now' | 'messageOfBus'
  >,
): Promise<Written[]> {
  const policies = await q
    .selectFrom('svc_notify')
    .select('id')
    .where('tenantId', '=', alarmEvent.tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .where(sql<boolean>`notify_ext #> '{content,alarmTypes}' @> ${JSON.stringify([type])}::jsonb`)
    .orderBy('id')
    .limit(MAX_POLICIES)
    .execute();
  const written: Written[] = [];
  for (const { id: notifyId } of policies) {
    const notified = await enqueue(q, alarmEvent, { ...occasion, notifyId, messageId: '0' });
    const { suppressed } = notified;
    written.push(...notified.written);
    if (suppressed.length > 0)
      written.push({ alarmId: alarmEvent.alarmId, notifyId, event: occasion.event, suppressed });
  }
  return written;
}

/** Whether a person holds the notifications of the rule state back (silence/silence.ts). */
async function isSilenced(
  q: Queries,
  { tenantId, ruleStateId }: AlarmEvent,
  now: number,
): Promise<boolean> {
  if (ruleStateId === '0') return false;
  const silenced = await q
    .selectFrom('svc_rule_state')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', ruleStateId)
    .where('silencedUntil', '>', new Date(now))
    .executeTakeFirst();
  return silenced !== undefined;
}

/**
 * Adds the channels that a policy left out to the alarm (`alarm_ext.leftOut`), so that it can say which channels
 * were not notified, and why, after its rule state is in another episode. At most once for each event.
 */
async function keepLeftOut(
  q: Queries,
  { tenantId, alarmId }: Pick<AlarmEvent, 'tenantId' | 'alarmId'>,
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
    .where('id', '=', alarmId)
    .execute();
}
