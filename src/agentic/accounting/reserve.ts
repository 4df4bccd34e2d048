import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError, Unprocessable } from '../../kernel/errors.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { costOf, type Price } from './price.ts';
import type { Step } from './step.ts';

/** What a turn may use: tokens of both kinds, and by currency what they cost; of a model without a price, nothing. */
export type Wanted = { tokens: number; costs: Readonly<Record<string, string>> };

/** The limit of an answer under a budget, where neither the request nor the model has one. */
export const DEFAULT_COMPLETION = 4_096;

/** The most that a request can use, by the dearest of the models that may answer it. */
export function wantedBy(
  promptTokens: number,
  completionTokens: number,
  prices: readonly (Price | null)[],
): Wanted {
  const tokens = promptTokens + completionTokens;
  const costs: Record<string, string> = {};
  for (const price of prices) {
    if (!price) return { tokens, costs: {} };
    const cost = costOf({ promptTokens, completionTokens }, price);
    const before = costs[price.currency];
    if (before === undefined || Number(cost) > Number(before)) costs[price.currency] = cost;
  }
  return { tokens, costs };
}

const Held = z.array(z.looseObject({ budget: z.string(), amount: z.string() }));
/** What is held back of budgets for a turn. */
export type Held = z.output<typeof Held>;

type Spender = Pick<Caller, 'tenantId' | 'principalId' | 'via' | 'clientId' | 'timezone'>;

/** The subjects of a caller's budgets; '' for one that it does not have. */
const subjectsOf = ({ principalId, clientId = '' }: Spender, endUser: string) => ({
  person: principalId,
  key: clientId,
  end_user: endUser === '' ? '' : `${clientId || principalId} ${endUser}`,
});

type Reserved = Record<'tenantId' | 'subjects' | 'costs' | 'timezone', string> & {
  tokens: number;
  now: Date;
  isHeld: boolean;
};
const reserveBudget = statement((q, given: Reserved) =>
  sql<{ held: unknown }>`select svc_reserve_budget(${given.tenantId}::bigint,
    ${given.subjects}::jsonb, ${given.tokens}::numeric, ${given.costs}::jsonb,
    ${given.now}::timestamptz, ${given.timezone}::text, ${given.isHeld}::boolean) as held`.compile(
    q,
  ),
);

/**
 * Holds back `wanted` of all budgets that the caller comes under, for one statement of a trip, which an error undoes;
 * without `wanted` it only looks whether all of them have something left. Throws AppError 429 that says when, through
 * `budgetError`.
 */
export async function reserve(
  app: App,
  q: Queries,
  caller: Spender,
  endUser: string,
  wanted: Wanted | null,
): Promise<Held> {
  const subjects = JSON.stringify(subjectsOf(caller, endUser));
  const { tokens, costs } = wanted ?? { tokens: 0, costs: {} };
  const [row] = await reserveBudget(q, {
    tenantId: caller.tenantId,
    subjects,
    tokens,
    costs: JSON.stringify(costs),
    now: new Date(app.clock.now()),
    timezone: caller.timezone ?? 'UTC',
    isHeld: wanted !== null,
  });
  return Held.parse(row?.held ?? []);
}

/** Puts what the steps used in the place of what was held back, in one statement. */
export async function settle(
  q: Queries,
  { tenantId }: Pick<Caller, 'tenantId'>,
  held: Held,
  steps: readonly Step[],
): Promise<void> {
  if (held.length === 0) return;
  const tokens = steps.reduce(
    (sum, { usage }) => sum + usage.promptTokens + usage.completionTokens,
    0,
  );
  const costs: Record<string, number> = {};
  for (const { usage, price } of steps)
    if (price) costs[price.currency] = (costs[price.currency] ?? 0) + Number(costOf(usage, price));
  await sql`select svc_settle_budget(${tenantId}::bigint, ${JSON.stringify(held)}::jsonb,
    ${Math.round(tokens)}::numeric, ${JSON.stringify(costs)}::jsonb)`.execute(q);
}

const Used = z.object({
  kind: z.enum(['tenant', 'person', 'key', 'end_user']),
  unit: z.enum(['tokens', 'cost']),
  currency: z.string(),
  period: z.enum(['hour', 'day', 'month']),
  amount: z.coerce.number(),
  used: z.coerce.number(),
  reserved: z.coerce.number(),
  frees: z.number(),
});

const OWNER: Record<z.output<typeof Used>['kind'], string> = {
  tenant: 'this tenant',
  person: 'this person',
  key: 'this key',
  end_user: 'this user of the key',
};

/** An error of `reserve` in words: 429 with the time when the budget is free again; other errors as they are. */
export function budgetError(
  app: App,
  { timezone }: Pick<Caller, 'timezone'>,
  error: unknown,
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'SV005')
    return new Unprocessable(
      'A budget in money applies, and the model has no price in its currency: an administrator adds it to the model',
    );
  if (error.code !== 'SV004') return error;
  const { kind, unit, currency, period, amount, used, reserved, frees } = Used.parse(
    JSON.parse(error.message),
  );
  const of = unit === 'tokens' ? 'tokens' : currency;
  const taken = reserved > 0 ? `${used} used and ${reserved} held back` : `${used} used`;
  const message =
    `The budget of ${OWNER[kind]} is used up: ${taken} of ${amount} ${of} in this ${period}. ` +
    `It is free again at ${inZone(new Date(frees), timezone)}; an administrator can raise it.`;
  const seconds = Math.max(1, Math.ceil((frees - app.clock.now()) / 1_000));
  return new AppError(429, 'insufficient_quota', message, {
    detail: { retryAfterSeconds: seconds },
  });
}
