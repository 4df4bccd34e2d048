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
import { isSignedWith } from '../channel/webhook.ts';
import { ChannelType, Known } from '../kind/delivery-status.ts';
import { openCredential } from '../notify/channel/channel-credential.ts';
import { wake } from '../notify/wake.ts';

/** What the receiver of a webhook answers about an alarm; tenant and channel are in the address. */
export const AnswerAlarm = z.object({
  tenantId: Id,
  channelId: Id,
  signed: z.custom<SignedBody>().meta({ type: 'object' }),
});

const Answer = z.object({
  type: z.literal('alarm.acknowledged'),
  data: z.object({ alarmId: Id }),
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
 * every channel that is unknown or disabled and every wrong signature.
 */
export const answerAlarm: Operation<z.output<typeof AnswerAlarm>, true> = async (
  app,
  { source = '' },
  { tenantId, channelId, signed },
) => {
  countOne(app, source);
  const secret = await secretOf(app, { tenantId, id: channelId });
  if (!isSignedWith(secret, signed, app.clock.now()))
    throw new NotAuthenticated('The answer is not signed by a channel');
  const { alarmId } = answerIn(signed.payload);
  await inTenant(app.db, tenantId, (q) =>
    acknowledge(q, { tenantId, channelId, alarmId }, app.clock.now()),
  );
  return true;
};

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

/** Null where no receiver can sign for the channel. */
async function secretOf(app: App, owner: { tenantId: string; id: string }): Promise<string | null> {
  const { tenantId, id } = owner;
  const channel = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_notify_channel')
      .select('credential')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .where('channelTypeFlag', '=', ChannelType.WEBHOOK)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .executeTakeFirst(),
  );
  return channel ? openCredential(app, owner, channel.credential) : null;
}

/** Only the signed text counts: a query parameter could say something else. */
function answerIn(payload: string): { alarmId: string } {
  try {
    return Answer.parse(JSON.parse(payload)).data;
  } catch {
    throw new BadRequest('The body must be {"type": "alarm.acknowledged", "data": {"alarmId": …}}');
  }
}

type Acknowledged = { tenantId: string; channelId: string; alarmId: string };

async function acknowledge(
  q: Queries,
  { tenantId, channelId, alarmId }: Acknowledged,
  now: number,
): Promise<void> {
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
  if (known.length === 0) throw new NotFound('Alarm');
  // The first acknowledgement stays.
  if (known.some(({ acknowledgedTime }) => acknowledgedTime !== null)) return;
  await q
    .updateTable('svc_notify_ledger')
    .set({ acknowledgedTime: new Date(now), operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('channelId', '=', channelId)
    .execute();
  await wake(q, tenantId, { alarmIds: [alarmId] }, now);
}
