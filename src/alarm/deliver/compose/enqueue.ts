import { sql } from 'kysely';

import { EnableFlag } from '../../../core/input/flag.ts';
import type { Queries } from '../../../db/connect.ts';
import type { AlarmType } from '../../alarm/alarm.ts';
import { type AlarmEvent, namesOf, noticeOf, quotedNames, variablesOf } from './alarm-event.ts';
import { fullChannels, deliveryHistoryOf } from './delivery-history.ts';
import { NoticeEvent } from './notice-event.ts';
import { type Bound, channelsOf, policyOf } from './policy-terms.ts';
import { render } from './render.ts';
import { type Terms, suppressionReason } from './suppression.ts';
import { defaultTemplate, templatesOf, templateFor } from './templates.ts';

type Occasion = {
  event: NoticeEvent;
  /** The alarm fires on. */
  reminder?: boolean;
  /** '0': nobody is told. */
  notifyId: string;
  messageId: string;
  now: number;
};

/** A row that is to be announced after the commit. */
type Row = { id: string; channelId: string };

type Suppressed = { channelId: string; reason: string };

/** Who was not told of an alarm, which no state remembers: for the log, after the commit. */
type Skipped = { alarmId: string; notifyId: string; event: NoticeEvent; suppressed: Suppressed[] };

/** What is to be said after the commit. */
export type Written = Row | Skipped;

/** The rows that were written, and whom the policy kept from being told. */
export type Notified = { written: Row[]; suppressed: Suppressed[] };

const nobody = (): Notified => ({ written: [], suppressed: [] });

const MAX_POLICIES = 20;

/**
 * Writes the pending notifications of an alarm, one for each channel that its policy lets be told, in the
 * alarm's own transaction (docs/specification/notifications.md, Pending); they are to be announced after the
 * commit.
 */
export async function enqueue(
  q: Queries,
  alarmEvent: AlarmEvent,
  given: Occasion,
): Promise<Notified> {
  const { tenantId } = alarmEvent;
  const { event, reminder = false, notifyId, messageId, now } = given;
  const notify = await policyOf(q, tenantId, notifyId);
  // Most facts of a firing state come here: nothing more is asked where nothing is repeated.
  if (!notify || (reminder && !notify.policy.repeat?.enabled)) return nobody();
  const told = nobody();
  const chosen: Bound[] = [];
  for (const bound of await channelsOf(q, tenantId, notifyId)) {
    const terms: Terms = { ...notify, bind: bound.bind };
    const occasion = { event, reminder, level: alarmEvent.level, now };
    const past = await deliveryHistoryOf(q, alarmEvent, {
      notifyId,
      channelId: bound.id,
      terms,
      now,
    });
    const reason = suppressionReason(terms, occasion, past);
    if (reason === null) chosen.push(bound);
    else told.suppressed.push({ channelId: bound.id, reason });
  }
  // An end is told to whom its beginning was: the bound on those bounds these, and nobody waits for it in vain.
  const full =
    event === 'FIRED'
      ? await fullChannels(
          q,
          tenantId,
          chosen.map(({ id }) => id),
        )
      : [];
  told.suppressed.push(...full.map((channelId) => ({ channelId, reason: 'too much is waiting' })));
  const taken = chosen.filter(({ id }) => !full.includes(id));
  if (taken.length === 0) return told;
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
        const on = { device: names.deviceName !== '', point: names.pointName !== '' };
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
          }),
          nextTryTime: at,
          createTime: at,
          operateTime: at,
        };
      }),
    )
    .returning(['id', 'channelId'])
    .execute();
  return { ...told, written };
}

/** Tells of an alarm that no rule raised, by every policy that asks for alarms of its type. */
export async function enqueueWithoutRule(
  q: Queries,
  alarmEvent: AlarmEvent,
  { type, event, now }: { type: keyof typeof AlarmType; event: NoticeEvent; now: number },
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
    const told = await enqueue(q, alarmEvent, { event, notifyId, messageId: '0', now });
    const { suppressed } = told;
    written.push(...told.written);
    if (suppressed.length > 0)
      written.push({ alarmId: alarmEvent.alarmId, notifyId, event, suppressed });
  }
  return written;
}
