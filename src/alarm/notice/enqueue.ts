import { sql } from 'kysely';

import { EnableFlag } from '../../core/input/flag.ts';
import type { Queries } from '../../db/connect.ts';
import type { AlarmType } from '../entity-alarm.ts';
import { type Happening, namesOf, noticeOf, quotedNames, variablesOf } from './happening.ts';
import { NoticeEvent } from './notice-event.ts';
import { fullOf, pastOf } from './past.ts';
import { type Terms, whyNot } from './policy.ts';
import { render } from './render.ts';
import { type Bound, channelsOf, policyOf } from './terms.ts';
import { ordinaryWords, templatesOf, wordsFor } from './words.ts';

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
type Untold = { alarmId: string; notifyId: string; event: NoticeEvent; suppressed: Suppressed[] };

/** What is to be said after the commit. */
export type Written = Row | Untold;

/** The rows that were written, and whom the policy kept from being told. */
export type Told = { written: Row[]; suppressed: Suppressed[] };

const nobody = (): Told => ({ written: [], suppressed: [] });

const MAX_POLICIES = 20;

/**
 * Writes the pending notifications of an alarm, one for each channel that its policy lets be told, in the
 * alarm's own transaction (docs/specification/notifications.md, Pending); they are to be announced after the
 * commit.
 */
export async function enqueue(q: Queries, happening: Happening, given: Occasion): Promise<Told> {
  const { tenantId } = happening;
  const { event, reminder = false, notifyId, messageId, now } = given;
  const notify = await policyOf(q, tenantId, notifyId);
  // Most facts of a firing state come here: nothing more is asked where nothing is repeated.
  if (!notify || (reminder && !notify.policy.repeat?.enabled)) return nobody();
  const told = nobody();
  const chosen: Bound[] = [];
  for (const bound of await channelsOf(q, tenantId, notifyId)) {
    const terms: Terms = { ...notify, bind: bound.bind };
    const occasion = { event, reminder, level: happening.level, now };
    const past = await pastOf(q, happening, { notifyId, channelId: bound.id, terms, now });
    const reason = whyNot(terms, occasion, past);
    if (reason === null) chosen.push(bound);
    else told.suppressed.push({ channelId: bound.id, reason });
  }
  // An end is told to whom its beginning was: the bound on those bounds these, and nobody waits for it in vain.
  const full =
    event === 'FIRED'
      ? await fullOf(
          q,
          tenantId,
          chosen.map(({ id }) => id),
        )
      : [];
  told.suppressed.push(...full.map((channelId) => ({ channelId, reason: 'too much is waiting' })));
  const taken = chosen.filter(({ id }) => !full.includes(id));
  if (taken.length === 0) return told;
  const names = await namesOf(q, happening);
  const variables = variablesOf(happening, names, { event, reminder, now });
  const notice = noticeOf(happening, names, event);
  const templates = await templatesOf(q, tenantId, messageId);
  const at = new Date(now);
  const written = await q
    .insertInto('svc_notify_history')
    .values(
      taken.map((channel) => {
        const own = wordsFor(templates, channel.channelTypeFlag);
        const on = { device: names.deviceName !== '', point: names.pointName !== '' };
        const { title, text, used, missing } = own
          ? render(own, variables)
          : render(ordinaryWords(event, on), quotedNames(variables));
        const templateType = own ? 'MESSAGE' : 'DEFAULT';
        return {
          tenantId,
          ruleId: happening.ruleId,
          ruleStateId: happening.ruleStateId,
          notifyId,
          messageId,
          channelId: channel.id,
          alarmId: happening.alarmId,
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
export async function enqueueUnruled(
  q: Queries,
  happening: Happening,
  { type, event, now }: { type: keyof typeof AlarmType; event: NoticeEvent; now: number },
): Promise<Written[]> {
  const policies = await q
    .selectFrom('svc_notify')
    .select('id')
    .where('tenantId', '=', happening.tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .where(sql<boolean>`notify_ext #> '{content,alarmTypes}' @> ${JSON.stringify([type])}::jsonb`)
    .orderBy('id')
    .limit(MAX_POLICIES)
    .execute();
  const written: Written[] = [];
  for (const { id: notifyId } of policies) {
    const told = await enqueue(q, happening, { event, notifyId, messageId: '0', now });
    const { suppressed } = told;
    written.push(...told.written);
    if (suppressed.length > 0)
      written.push({ alarmId: happening.alarmId, notifyId, event, suppressed });
  }
  return written;
}
