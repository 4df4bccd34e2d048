import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { ById } from '../../kernel/input/input.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import type { Notice, Outcome } from '../channel/delivery/channel.ts';
import { quotingAnswer } from '../channel/delivery/outcome.ts';
import { ChannelType } from '../kind/delivery-status.ts';
import { sendBy } from '../notify/channel/channels.ts';

/** How a test of a channel ended. */
export const ChannelTest = z
  .object({
    outcome: z.enum(['DELIVERED', 'REFUSED', 'UNREACHABLE']),
    why: z
      .string()
      .meta({ examples: ['HTTP 503 Service Unavailable'] })
      .describe('What the receiver answered, or why it did not get there'),
  })
  .meta({ id: 'ChannelTest' });
export type ChannelTest = z.output<typeof ChannelTest>;

/** Tests of a tenant in a minute, by one process: an address is not flooded by them. */
const MAX_TESTS = 6;
const WINDOW_MS = 60_000;
const MAX_TENANTS = 10_000;

const CHANNEL_TESTS = slot(
  (clock) => new TtlCache<{ count: number; since: number }>(clock, WINDOW_MS, MAX_TENANTS),
);

/**
 * Sends one message over a stored channel, as the sender does, and answers how it went; nothing of it is in the
 * history. Requires a person on an interactive login (403); throws NotFound, and TooManyRequests after six a minute.
 */
export const testChannel: Operation<ById, ChannelTest> = async (app, caller, { id }) => {
  demandPerson(caller, 'test a channel');
  const { tenantId } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) =>
    rowOf(q, 'svc_notify_channel', tenantId, id),
  );
  countOne(app, tenantId);
  const { channelName, channelTypeFlag: type, target, credential, channelExt: ext } = row;
  const text = `This is a test of the channel ${quoted(channelName)}. No alarm fired.`;
  const message = {
    id: randomUUID(),
    subject: `Test of the channel ${quoted(channelName)}`,
    text,
    notice: noticeOf(tenantId, text, app.clock.now()),
  };
  const ended = new AbortController();
  const outcome = await sendBy(
    app,
    tenantId,
    { id, type, target, credential, ext },
    message,
    ended.signal,
  );
  const answer = answerOf(outcome);
  await inTenant(app.db, tenantId, (q) =>
    audit(app, q, caller, {
      action: 'TEST',
      resourceType: 'NOTIFY_CHANNEL',
      resourceId: id,
      resourceName: channelName,
      status: outcome.status === 'delivered' ? 'SUCCESS' : 'FAILED',
      detail: { ...answer, type: nameOf(ChannelType, type) },
    }),
  );
  return answer;
};

function countOne(app: App, tenantId: string): void {
  const channelTests = app.of(CHANNEL_TESTS);
  const now = app.clock.now();
  const known = channelTests.get(tenantId);
  if (known === undefined || now - known.since >= WINDOW_MS)
    return channelTests.set(tenantId, { count: 1, since: now });
  if (known.count >= MAX_TESTS)
    throw new TooManyRequests(
      `A tenant tests channels ${MAX_TESTS} times a minute at most`,
      Math.ceil((known.since + WINDOW_MS - now) / 1_000),
    );
  known.count += 1;
}

const answerOf = (outcome: Outcome): ChannelTest => ({
  outcome: ({ delivered: 'DELIVERED', refused: 'REFUSED', unreachable: 'UNREACHABLE' } as const)[
    outcome.status
  ],
  why:
    outcome.status === 'delivered' ? quotingAnswer(outcome.answer) : quotingAnswer(outcome.reason),
});

const noticeOf = (tenantId: string, message: string, now: number): Notice => ({
  event: 'test',
  tenantId,
  alarmId: '0',
  ruleId: '0',
  ruleName: '',
  level: 'P3',
  target: 'DEVICE',
  entityId: '0',
  deviceId: '0',
  deviceName: '',
  pointId: '0',
  pointName: '',
  message,
  occurTime: new Date(now).toISOString(),
});
