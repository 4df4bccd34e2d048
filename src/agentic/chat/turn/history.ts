import type { ModelMessage } from '../../../../providers/request/provider.ts';
import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { budgetError, type Held, reserve } from '../../accounting/reserve.ts';
import { type ActionView, actionsOf, viewOf } from '../../action/view.ts';
import { type Attachment, attachmentsAt, attachmentsOf } from '../../attachment/attachment.ts';
import { actionsInConversation } from '../../decision/conversation.ts';
import type { UnsentOutcome } from '../../decision/notice.ts';
import { rememberedFacts, readFacts } from '../../provider/tenant-facts.ts';
import type { ModelRows } from '../../provider/usable-models.ts';
import { latestText, type Texts } from '../../session/message.ts';
import { preferencesOf, type SessionExt } from '../../session/session.ts';
import { type Branch, requireQuestion } from '../branch/branch.ts';
import { BROKEN_OFF, rememberedTurns, withinMemory } from '../branch/past-turns.ts';
import type { Path } from '../branch/path.ts';

/** Stored past of a conversation. */
export type Past = {
  preferences: SessionExt;
  /** The messages inside the history window. */
  said: Texts[];
  /** Turns with their tool calls and results, by the index of their question. */
  remembered: ReadonlyMap<number, readonly ModelMessage[]>;
  /** The latest actions in their present state, oldest first. */
  actions: ActionView[];
  /** Ended actions without a receipt. */
  untold: UnsentOutcome[];
};

const NO_PAST: Past = { preferences: {}, said: [], remembered: new Map(), actions: [], untold: [] };

const NO_ACTIONS = { latest: [], untold: [] };

type Which = {
  conversationId: string;
  /** False for a conversation that begins with this turn. */
  hasPast: boolean;
  /** Null: those that the question has, where it is stored. */
  attachments: readonly string[] | null;
  branch: Branch | Path | null;
  /** Index of the stored question of a turn that continues. */
  continues: number | null;
  /** Without tools the past has no actions and no remembered tool results. */
  hasTools: boolean;
  /** Whom the program behind a key asks for; '' for none. */
  endUser: string;
};
type Recalled = {
  models: ModelRows;
  attachments: Attachment[];
  past: Past;
  /** Of the question that is answered again; null: the request has one. */
  asked: string | null;
  /** Those that the turn comes under. */
  budgets: Held;
};

/**
 * All that a turn reads, in one trip; throws NotFound for an attachment and for a message to branch off from, 429
 * where a budget is used up.
 */
export const recall = (app: App, caller: Caller, which: Which): Promise<Recalled> =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const { conversationId, hasPast, branch: from, hasTools, endUser } = which;
    const branch = from?.how === 'path' ? null : from;
    const path = from?.how === 'path' ? from : null;
    const known = rememberedFacts(app, caller.tenantId);
    const [{ models }, attachments, past, branched, budgets] = await Promise.all([
      known ?? readFacts(app, q, caller.tenantId),
      attachmentsIn(q, caller, which, branch, path?.again ?? null),
      hasPast
        ? pastOf(app, q, caller, {
            conversationId,
            before: branch?.at ?? path?.again,
            path,
            hasTools,
          })
        : NO_PAST,
      branch && requireQuestion(q, caller, conversationId, branch),
      // The trip asks for something in any case: it compares the version of what is remembered.
      known?.hasBudgets === false && hasPast ? [] : reserve(app, q, caller, endUser, null),
    ]);
    const asked = branch?.how === 'regenerate' ? (branched?.text ?? null) : null;
    return { models, attachments, past, asked, budgets };
  }).catch((error: unknown) => {
    throw budgetError(app, caller, error);
  });

/** Those of the request, else those of the stored question that is answered again or goes on. */
function attachmentsIn(
  q: Queries,
  caller: Caller,
  { conversationId, attachments: ids, continues }: Which,
  branch: Branch | null,
  again: number | null,
): Promise<Attachment[]> {
  const stored = branch?.at ?? again ?? continues;
  return stored !== null && (ids === null || branch?.how === 'regenerate')
    ? attachmentsAt(q, caller, conversationId, stored)
    : attachmentsOf(q, caller, conversationId, ids ?? []);
}

async function pastOf(
  app: App,
  q: Queries,
  caller: Caller,
  {
    conversationId,
    before,
    path,
    hasTools,
  }: Pick<Which, 'conversationId' | 'hasTools'> & {
    before: number | undefined;
    path: Path | null;
  },
): Promise<Past> {
  const { historyWindow: count } = app.config.agentic;
  const [preferences, said, remembered, actions] = await Promise.all([
    preferencesOf(q, caller, conversationId),
    latestText(q, caller, conversationId, { count, before, path: path?.indexes ?? null }),
    hasTools && !path?.isOther
      ? rememberedTurns(app, q, caller, conversationId, count)
      : NO_PAST.remembered,
    hasTools ? actionsInConversation(app, q, caller, conversationId) : NO_ACTIONS,
  ]);
  return { preferences, said, remembered, actions: actions.latest, untold: actions.untold };
}

/**
 * Past turns as messages for a model. With the memory on, turns include their tool calls and results, at most
 * AGENTIC_MEMORY_MAX_MESSAGES messages; that limit and the history window both apply.
 */
export function pastTurns(
  app: App,
  { said, remembered }: Past,
  { hasTools }: { hasTools: boolean },
): ModelMessage[] {
  const { memory } = app.config.agentic;
  const candidates = turnsOf(atTurnBoundary(said)).map(({ index, messages }) => ({
    exact: (hasTools ? remembered.get(index) : undefined) ?? messages,
    said: messages,
  }));
  return memory.enabled
    ? withinMemory(candidates, memory.maxMessages)
    : candidates.flatMap((turn) => turn.said);
}

/**
 * Cuts to begin with the first user message and to end with the last assistant message, or one that a client stored: a
 * question after that is of a turn that still runs.
 */
export function atTurnBoundary<T extends { role: string; isGiven?: boolean }>(
  messages: readonly T[],
): T[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const last = messages.findLastIndex(({ role, isGiven }) => role === 'assistant' || isGiven);
  return first === -1 ? [] : messages.slice(first, last + 1);
}

type Turn = { index: number; messages: ModelMessage[] };

/** Each user message begins a turn; its message index is the index of the turn. */
function turnsOf(said: readonly Texts[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of said) {
    const { role, text, messageIndex } = message;
    if (role === 'user') turns.push({ index: Number(messageIndex), messages: [] });
    const content = role === 'user' ? text : answerOf(message);
    turns.at(-1)?.messages.push({ role, content });
  }
  return turns;
}

/** Vendors refuse empty messages; an unfinished answer is marked as broken off. */
function answerOf({ text, isFinished }: Texts): string {
  if (text.trim() === '') return BROKEN_OFF;
  return isFinished ? text : `${text}\n\n${BROKEN_OFF}`;
}

/** Loads these actions for the cards of an answer. */
export async function actionsById(
  app: App,
  { tenantId }: Caller,
  actionIds: readonly string[],
): Promise<ActionView[]> {
  if (actionIds.length === 0) return [];
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    actionsOf(q, tenantId)
      .where('svc_action.actionId', 'in', [...actionIds])
      .orderBy('svc_action.id')
      .execute(),
  );
  return rows.map((row) => viewOf(row, app.clock.now()));
}
