import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import type { SignedBody } from '../../kernel/app/route.ts';
import { BadRequest, NotAuthenticated, NotFound, TooManyRequests } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import type { AnswerForm } from '../channel/vendor-answer.ts';
import { answerForm, standardAnswer } from '../channel/webhook.ts';
import { ConfirmFlag } from '../kind/alarm.ts';
import { ChannelType, Known } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { openAnswerSecret, openCredential } from '../notify/channel/channel-credential.ts';
import { settingsOf } from '../notify/channel/channels.ts';
import { wake } from '../notify/wake.ts';

/** What the receiver of a webhook answers about an alarm; tenant and channel are in the address. */
export const AnswerAlarm = z.object({
  tenantId: Id,
  channelId: Id,
  signed: z.custom<SignedBody>().meta({ type: 'object' }),
});

/** Answers of one source in a minute, by one process: each costs a trip to the database. */
const MAX_ANSWERS = 300;
const WINDOW_MS = 60_000;
const MAX_SOURCES = 10_000;
const ANSWERS = slot(
  (clock) => new TtlCache<{ count: number; since: number }>(clock, WINDOW_MS, MAX_SOURCES),
);

/**
 * Notes that the receiver of a channel acknowledged an alarm of which the channel has a message: reminders and
 * escalation of it stop. It confirms nothing, and a repetition changes nothing. Throws NotAuthenticated, the same for
 * every channel that is unknown, disabled or without a secret of answers, and every wrong proof. What the service of a
 * vendor sends beside acknowledgements changes nothing and is no error: PagerDuty gives up an address that refuses.
 */
export const answerAlarm: Operation<z.output<typeof AnswerAlarm>, true> = async (
  app,
  { source = '' },
  { tenantId, channelId, signed },
) => {
  countOne(app, source);
  const now = app.clock.now();
  const { form, secret } = await provenBy(app, { tenantId, id: channelId });
  if (!form.isSigned(secret, signed, now))
    throw new NotAuthenticated('The answer is not signed by a channel');
  const alarmId = answerIn(form, signed.payload, now);
  if (alarmId === null) return true;
  await inTenant(app.db, tenantId, async (q) => {
    if (form.isVendor && !(await isOpen(q, tenantId, alarmId))) return;
    const isKnown = await acknowledge(q, { tenantId, channelId, alarmId }, now);
    if (!isKnown && !form.isVendor) throw new NotFound('Alarm');
  });
  return true;
};

/**
 * Whether the alarm fires unconfirmed. The platform reports confirmations and ends to the vendor’s service, which sends
 * them back as events of its own: these acknowledge nothing.
 */
async function isOpen(q: Queries, tenantId: string, alarmId: string): Promise<boolean> {
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select('stateFlag')
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .where('confirmFlag', '=', ConfirmFlag.UNCONFIRMED)
    .executeTakeFirst();
  return alarm !== undefined && (alarm.stateFlag ?? RuleStatus.FIRING) === RuleStatus.FIRING;
}

function countOne(app: App, source: string): void {
  const answers = app.of(ANSWERS);
  const now = app.clock.now();
  const known = answers.get(source);
  if (known === undefined || now - known.since >= WINDOW_MS)
    return answers.set(source, { count: 1, since: now });
  if (known.count >= MAX_ANSWERS)
    throw new TooManyRequests(
      'Too many answers',
      Math.ceil((known.since + WINDOW_MS - now) / 1_000),
    );
  known.count += 1;
}

type Proof = { form: AnswerForm; secret: string | null };

/** By what the receiver of a channel proves an answer; a null secret where none can. */
async function provenBy(app: App, owner: { tenantId: string; id: string }): Promise<Proof> {
  const { tenantId, id } = owner;
  const channel = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_notify_channel')
      .select(['credential', 'answerSecret', 'channelExt'])
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .where('channelTypeFlag', '=', ChannelType.WEBHOOK)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .executeTakeFirst(),
  );
  const form = channel && answerForm(settingsOf(channel.channelExt));
  if (!form) return { form: standardAnswer, secret: null };
  const secret =
    form.secret === 'credential'
      ? openCredential(app, owner, channel.credential)
      : openAnswerSecret(app, owner, channel.answerSecret);
  return { form, secret };
}

/** Only the signed text counts: a query parameter could say something else. */
function answerIn(form: AnswerForm, payload: string, now: number): string | null {
  try {
    return form.alarmIn(payload, now);
  } catch {
    throw new BadRequest(
      form.isVendor
        ? 'The body must be that of the webhook of its vendor'
        : 'The body must be {"type": "alarm.acknowledged", "data": {"alarmId": …}}',
    );
  }
}

type Acknowledged = { tenantId: string; channelId: string; alarmId: string };

/** False for an alarm of which the channel has no message. */
async function acknowledge(
  q: Queries,
  { tenantId, channelId, alarmId }: Acknowledged,
  now: number,
): Promise<boolean> {
  // All of them, in the order in which the ledger takes them: a look at the others follows.
  const entries = await q
    .selectFrom('svc_notify_ledger')
    .select(['channelId', 'acknowledgedTime', 'knownFlag', 'historyId'])
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .orderBy('notifyId')
    .orderBy('channelId')
    .forUpdate()
    .execute();
  const known = entries.filter(
    (entry) =>
      entry.channelId === channelId &&
      (entry.knownFlag !== Known.NOTHING || entry.historyId !== '0'),
  );
  if (known.length === 0) return false;
  // The first acknowledgement stays.
  if (known.some(({ acknowledgedTime }) => acknowledgedTime !== null)) return true;
  await q
    .updateTable('svc_notify_ledger')
    .set({ acknowledgedTime: new Date(now), operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('channelId', '=', channelId)
    .execute();
  await wake(q, tenantId, { alarmIds: [alarmId] }, now);
  return true;
}
