import { sql } from 'kysely';
import { z } from 'zod';

import { onIndexedPage, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, Int8, named, pageOfAnswers, Time } from '../../kernel/entity/answer.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { STEP_END } from './step.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 92;
const MAX_GROUPS = 100;

const Instant = z.iso
  .datetime({ offset: true })
  .refine((since) => since >= '0002', 'must be of this era')
  .meta({ examples: ['2026-03-01T00:00:00Z'] })
  .optional();

const range = {
  from: Instant.describe('Without one: 30 days before the end'),
  to: Instant.describe('Without one: now'),
};

/** The range of a request; throws BadRequest for one that is empty or too long. */
function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): { since: Date; until: Date } {
  const until = to === undefined ? now : Date.parse(to);
  const since = from === undefined ? until - 30 * DAY_MS : Date.parse(from);
  if (since >= until) throw new BadRequest('from must be before to', { param: 'from' });
  if (until - since > MAX_DAYS * DAY_MS)
    throw new BadRequest(`at most ${MAX_DAYS} days`, { param: 'from' });
  return { since: new Date(since), until: new Date(until) };
}

/** One request to a model. */
export const ChatStep = answer('ChatStep', {
  id: AnswerId,
  turnId: z.string().meta({ examples: ['chatcmpl-5f0c9a7d1e2b3a4c5d6e7f80'] }),
  step: z.number().int(),
  conversationId: z.string(),
  userId: AnswerId,
  userName: z.string().meta({ examples: ['admin'] }),
  clientId: z.string().describe('Prefix of the key, or the OAuth client; empty of a login'),
  endUser: z.string().describe('As the program behind the key names its user'),
  provider: z.string().meta({ examples: ['local'] }),
  model: z.string().meta({ examples: ['qwen3:8b'] }),
  promptTokens: Int8,
  completionTokens: Int8,
  cachedTokens: Int8,
  reasoningTokens: Int8,
  estimated: z.boolean().describe('The vendor named no usage'),
  cost: z.string().nullable().describe('null: the model has no price'),
  currency: z.string(),
  firstTokenMs: z.number().int().nullable(),
  durationMs: z.number().int(),
  ended: named(STEP_END),
  reason: z.string().describe('What the vendor said in place of an answer'),
  createTime: Time,
});
type ChatStep = z.output<typeof ChatStep.schema>;

export const ListSteps = input({
  ...range,
  model: Text(128).optional(),
  userId: Id.optional(),
  page: Page,
});

export const Steps = pageOfAnswers(ChatStep.schema);

/** The requests to models in a time, newest first. */
export const list: Operation<z.output<typeof ListSteps>, Paged<ChatStep>> = (
  app,
  { tenantId },
  { from, to, model, userId, page },
) => {
  const { since, until } = rangeOf({ from, to }, app.clock.now());
  return inOneTrip(app.db, tenantId, (q) => {
    let query = q
      .selectFrom('svc_chat_step')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('createTime', '>=', since)
      .where('createTime', '<=', until);
    if (model !== undefined) query = query.where('model', '=', model);
    if (userId !== undefined) query = query.where('userId', '=', userId);
    return pageOf(
      query.orderBy('createTime', 'desc').orderBy('id', 'desc'),
      page,
      (row) => ChatStep.of(row),
      { rows: onIndexedPage },
    );
  });
};

const GROUPS = {
  model: sql`provider || '/' || model`,
  person: sql`user_name`,
  key: sql`client_id`,
  endUser: sql`end_user`,
  day: sql`to_char(create_time at time zone 'UTC', 'YYYY-MM-DD')`,
} as const;

export const SumSteps = input({
  ...range,
  by: z.enum(['model', 'person', 'key', 'endUser', 'day']).default('model'),
});

/** The sum over the requests of one model, person, key, end user or day, in one currency. */
export const ChatUsage = answer('ChatUsage', {
  group: z
    .string()
    .describe('Model behind its provider, name, prefix of a key, end user, or day in UTC'),
  requests: Int8,
  failed: Int8,
  estimated: Int8.describe('Of the requests, those of which the vendor named no usage'),
  promptTokens: Int8,
  completionTokens: Int8,
  cachedTokens: Int8,
  reasoningTokens: Int8,
  cost: z.string().nullable().describe('Of the requests with a price; null: none has one'),
  currency: z.string(),
  unpriced: Int8.describe('Requests without a price'),
  firstTokenMs: z.number().nullable().describe('Median'),
  durationMs: z.number().nullable().describe('Median'),
});
type ChatUsage = z.output<typeof ChatUsage.schema>;

/** What was used in a time, summed up, the most tokens first. */
export const summary: Operation<z.output<typeof SumSteps>, ChatUsage[]> = (
  app,
  { tenantId },
  { by, ...given },
) => {
  const { since, until } = rangeOf(given, app.clock.now());
  return inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<z.input<typeof ChatUsage.schema>>`
      select ${GROUPS[by]} as "group", currency, count(*)::text as requests,
        count(*) filter (where ended = 1)::text as failed,
        count(*) filter (where estimated)::text as estimated,
        sum(prompt_tokens)::text as prompt_tokens, sum(completion_tokens)::text as completion_tokens,
        sum(cached_tokens)::text as cached_tokens, sum(reasoning_tokens)::text as reasoning_tokens,
        sum(cost)::text as cost, count(*) filter (where cost is null)::text as unpriced,
        percentile_cont(0.5) within group (order by first_token_ms) as first_token_ms,
        percentile_cont(0.5) within group (order by duration_ms) as duration_ms
      from svc_chat_step
      where tenant_id = ${tenantId} and create_time >= ${since} and create_time <= ${until}
      group by 1, 2 order by sum(prompt_tokens + completion_tokens) desc, 1, 2 limit ${MAX_GROUPS}`.execute(
      q,
    );
    return rows.map((row) => ChatUsage.of(row));
  });
};
