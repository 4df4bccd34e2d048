import type { ModelMessage, ModelTool } from '../../../providers/request/provider.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { promptTokensIn } from './estimate.ts';
import type { Price } from './price.ts';
import { type Account, recordSteps } from './record.ts';
import {
  budgetError,
  DEFAULT_COMPLETION,
  type Held,
  reserve,
  settle,
  wantedBy,
} from './reserve.ts';
import type { Step } from './step.ts';

type Request = { messages: readonly ModelMessage[]; tools: readonly ModelTool[] };

/** The account of a turn: what it holds back of budgets, and what it used. */
export type TurnAccount = {
  /** The most tokens that one answer of the model may have; undefined: no budget applies. */
  readonly limit: number | undefined;
  /** Holds back what the first request may use, as a statement of a trip that an error undoes. */
  hold(q: Queries): Promise<void>;
  /** The same for a request without a trip, in one of its own; throws 429 where a budget is used up. */
  holdMore(request?: Request): Promise<void>;
  /** Stores the steps and settles the budgets, as statements of one trip. */
  close(q: Queries, steps: readonly Step[]): Promise<void>;
};

type Opened = Account & {
  /** A budget applies, so `recall` has found. */
  isBudgeted: boolean;
  /** Of the answer, as the request or the model has it. */
  maxTokens: number | undefined;
  /** Of the models that may answer. */
  prices: readonly (Price | null)[];
  request: Request;
};

export function openAccount(
  app: App,
  caller: Caller,
  { isBudgeted, maxTokens = DEFAULT_COMPLETION, prices, request, ...account }: Opened,
): TurnAccount {
  const held: Held = [];
  const take = async (q: Queries, { messages, tools }: Request): Promise<void> => {
    const wanted = wantedBy(promptTokensIn(messages, tools), maxTokens, prices);
    held.push(...(await reserve(app, q, caller, account.endUser, wanted)));
  };
  return {
    limit: isBudgeted ? maxTokens : undefined,
    hold: async (q) => (isBudgeted ? take(q, request) : undefined),
    async holdMore(later = request) {
      if (!isBudgeted) return;
      await inOneTrip(app.db, caller.tenantId, (q) => take(q, later)).catch((error: unknown) => {
        throw budgetError(app, caller, error);
      });
    },
    async close(q, steps) {
      await Promise.all([
        recordSteps(app, q, caller, account, steps),
        settle(q, caller, held, steps),
      ]);
    },
  };
}
