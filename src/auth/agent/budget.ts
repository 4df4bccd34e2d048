import type { App, Tool } from '../../kernel/app/app.ts';
import { Outdated, TooManyRequests } from '../../kernel/errors.ts';
import { type Budget, BUDGETS, type Limits } from '../../kernel/process/agent-budget.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import type { Limited } from '../connection/denial.ts';
import { loadUsage, writeUsageSoon } from './usage-store.ts';
import {
  add,
  type Amounts,
  freeAt,
  knownUsage,
  type Subject,
  totalOf,
  type Usage,
  AGENT_USAGE,
} from './usage.ts';

const WORDS: Record<Budget, { of: string; instead: string }> = {
  calls: {
    of: 'calls',
    instead:
      'Ask for several things in one call, and wait with waitForEvents or lookupActionById instead of asking again and again',
  },
  deviceReads: {
    of: 'reads from devices',
    instead: 'Read what is stored, with getLatestPointValue or searchPointValues',
  },
  proposals: {
    of: 'proposals',
    instead: 'Tell your user what is left to be written, and have what waits decided first',
  },
  outputTokens: {
    of: 'tokens of answers',
    instead: 'Narrow what you ask for, and give maxTokens',
  },
};

/** What a call of a tool uses before its answer is known. */
export const usedBy = ({ scope, annotations }: Tool): Partial<Amounts> => ({
  calls: 1,
  ...(scope === 'svc:read-device' && { deviceReads: 1 }),
  ...(annotations.destructiveHint && { proposals: 1 }),
});

/** A call that is counted. */
export type Metered = {
  /** To be called with the text of its answer. */
  answered(text: string): void;
  /** It did not take place. */
  undo(): void;
};

/**
 * Counts a call of an agent against the budgets of its connection and its principal. Throws TooManyRequests with
 * words for the agent where one of them is used up.
 */
export async function metered(app: App, caller: Limited, used: Partial<Amounts>): Promise<Metered> {
  const usages = await usagesOf(app, caller);
  const now = app.clock.now();
  for (const usage of usages) refuseUsedUp(app, usage, used, caller, now);
  const count = (amounts: Partial<Amounts>): void => {
    const { unwritten } = app.of(AGENT_USAGE);
    for (const usage of usages) {
      add(usage, amounts, now);
      unwritten.add(usage);
    }
    writeUsageSoon(app);
  };
  count(used);
  return {
    answered: (text) => count({ outputTokens: Math.ceil(text.length / 4) }),
    undo: () =>
      count(Object.fromEntries(Object.entries(used).map(([budget, amount]) => [budget, -amount]))),
  };
}

/** As `metered`, with the answer's text as JSON; a call on facts that are out of date does not count, its repetition does. */
export async function counted<T>(
  app: App,
  caller: Limited,
  used: Partial<Amounts>,
  work: () => Promise<T>,
): Promise<T> {
  const meter = await metered(app, caller, used);
  try {
    const answer = await work();
    meter.answered(JSON.stringify(answer));
    return answer;
  } catch (error) {
    if (error instanceof Outdated) meter.undo();
    throw error;
  }
}

async function usagesOf(app: App, caller: Limited): Promise<Usage[]> {
  const subjects = subjectsOf(caller);
  const known = subjects.map((subject) => knownUsage(app, subject));
  return known.every((usage) => usage !== undefined) ? known : loadUsage(app, subjects);
}

function subjectsOf({ tenantId, principalId, connection }: Limited): Subject[] {
  const principal = { tenantId, kind: 'principal', id: principalId } as const;
  if (!connection || connection.connectionId === '0') return [principal];
  return [{ tenantId, kind: 'connection', id: connection.connectionId }, principal];
}

function limitsOf({ config }: App, { connection }: Limited, { kind }: Subject): Limits {
  const { budgets } = config;
  return kind === 'principal'
    ? budgets.principal
    : { ...budgets.connection, ...connection?.budgets };
}

function refuseUsedUp(
  app: App,
  usage: Usage,
  used: Partial<Amounts>,
  caller: Limited,
  now: number,
): void {
  const limits = limitsOf(app, caller, usage.subject);
  const total = totalOf(usage, now);
  for (const budget of BUDGETS) {
    const limit = limits[budget];
    const isAsked = budget === 'outputTokens' || (used[budget] ?? 0) > 0;
    if (limit === null || !isAsked || total[budget] < limit) continue;
    const at = freeAt(usage, budget, limit, now);
    const { of, instead } = WORDS[budget];
    const owner = usage.subject.kind === 'connection' ? 'connection' : 'account';
    const frees = inZone(new Date(at), caller.timezone);
    app.metrics.add('svc_agent_budget_refused_total', { budget });
    throw new TooManyRequests(
      `The budget of this ${owner} is used up: ${total[budget]} of ${limit} ${of} in the last hour. ` +
        `Some is free again at ${frees}. ${instead}; an administrator can raise the budget.`,
      Math.ceil((at - now) / 1_000),
    );
  }
}
