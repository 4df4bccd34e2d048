import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { costOf } from './price.ts';
import { STEP_END, type Step } from './step.ts';

/** Of what a turn is accounted to. */
export type Account = {
  turnId: string;
  conversationId: string;
  /** The person behind a key that its program names; '' for none. */
  endUser: string;
};

type Spender = Pick<Caller, 'tenantId' | 'principalId' | 'name' | 'clientId'>;

/** Rows are kept so long; the sums of a longer time are for the tenant to export. */
const KEPT_MS = 400 * 86_400_000;
const BATCH = 500;

/** Stores the steps of a turn, in one statement. */
export async function recordSteps(
  app: App,
  q: Queries,
  caller: Spender,
  { turnId, conversationId, endUser }: Account,
  steps: readonly Step[],
): Promise<void> {
  if (steps.length === 0) return;
  const now = new Date(app.clock.now()).toISOString();
  const rows = steps.map(({ usage, price, ...step }, index) => ({
    tenant_id: caller.tenantId,
    turn_id: turnId,
    step: index + 1,
    conversation_id: storable(conversationId),
    user_id: caller.principalId,
    user_name: caller.name,
    client_id: caller.clientId ?? '',
    end_user: storable(endUser),
    provider: step.provider,
    model: step.model,
    prompt_tokens: Math.round(usage.promptTokens),
    completion_tokens: Math.round(usage.completionTokens),
    cached_tokens: Math.round(usage.cachedTokens),
    reasoning_tokens: Math.round(usage.reasoningTokens),
    estimated: step.isEstimated,
    cost: price && costOf(usage, price),
    currency: price?.currency ?? '',
    first_token_ms: step.firstTokenMs,
    duration_ms: step.durationMs,
    ended: STEP_END[step.end],
    reason: storable(step.reason),
    create_time: now,
  }));
  await inserted(q, { tenantId: caller.tenantId, rows: JSON.stringify(rows) });
}

const inserted = statement((q, { tenantId, rows }: Record<'tenantId' | 'rows', string>) =>
  sql`insert into svc_chat_step (tenant_id, turn_id, step, conversation_id, user_id, user_name, client_id,
      end_user, provider, model, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, cost,
      currency, first_token_ms, duration_ms, ended, reason, create_time)
    select tenant_id, turn_id, step, conversation_id, user_id, user_name, client_id,
      end_user, provider, model, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, cost,
      currency, first_token_ms, duration_ms, ended, reason, create_time
    from jsonb_populate_recordset(null::svc_chat_step, ${rows}::jsonb)
    where tenant_id = ${tenantId}`.compile(q),
);

/** Deletes steps and uses of budgets that are old at `now` (ms since the epoch), at most BATCH of each. */
export async function dropOldSteps(q: Queries, now: number): Promise<void> {
  const before = new Date(now - KEPT_MS);
  await sql`delete from svc_chat_step where id in (
    select id from svc_chat_step where create_time <= ${before} limit ${BATCH} for update skip locked)`.execute(
    q,
  );
  await sql`delete from svc_chat_budget_use where (tenant_id, budget_id, subject, begins) in (
    select tenant_id, budget_id, subject, begins from svc_chat_budget_use
    where begins <= ${before} limit ${BATCH} for update skip locked)`.execute(q);
  await sql`delete from svc_chat_budget_hold where id in (
    select id from svc_chat_budget_hold where expire_time <= ${before} limit ${BATCH} for update skip locked)`.execute(
    q,
  );
}
