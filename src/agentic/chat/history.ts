import type { ModelMessage } from '../../../providers/provider.ts';
import type { App, Caller } from '../../app.ts';
import { storable } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { notifyOutcomes, unsentOutcomesIn } from '../action/outcome-notice.ts';
import { type ActionView, actionsOf, viewOf } from '../action/view.ts';
import type { Attachment } from '../attachment/attachment.ts';
import { append, type Content, latestMessages, type Message } from '../session/message.ts';
import { continueSession, type SessionExt, touchSession } from '../session/session.ts';
import { BROKEN_OFF, keepMemory, rememberedTurns, wholeTurn, withinMemory } from './past-turns.ts';

const MAX_RECEIPTS = 10;
const MAX_TITLE = 60;

export type Recalled = {
  turns: ModelMessage[];
  /** The conversation's latest actions in their present state, oldest first. */
  actions: ActionView[];
};

/**
 * Stored past of a conversation: the turns inside the history window, and the actions. With the memory on,
 * turns include their tool calls and results, at most AGENTIC_MEMORY_MAX_MESSAGES messages; both limits
 * apply. Without tools: texts only, no actions and no remembered tool results.
 */
export async function recall(
  app: App,
  caller: Caller,
  conversationId: string,
  { hasTools }: { hasTools: boolean },
): Promise<Recalled> {
  const { untold, ...past } = await inTenant(app.db, caller.tenantId, async (q) => {
    const { historyWindow: count, memory } = app.config.agentic;
    const which = { count, withReceipts: false };
    const said = atTurnBoundary(await latestMessages(q, caller, conversationId, which));
    const turns = turnsOf(said);
    const first = turns[0]?.index;
    const remembered =
      hasTools && first !== undefined
        ? await rememberedTurns(app, q, caller, conversationId, first)
        : new Map<number, ModelMessage[]>();
    const candidates = turns.map(({ index, messages }) => ({
      exact: remembered.get(index) ?? messages,
      said: messages,
    }));
    return {
      turns: memory.enabled
        ? withinMemory(candidates, memory.maxMessages)
        : candidates.flatMap((turn) => turn.said),
      actions: hasTools ? await actionsIn(app, q, caller, conversationId) : [],
      untold: hasTools ? await unsentOutcomesIn(app, q, caller, conversationId) : [],
    };
  });
  // Writes missing receipts before the next question is stored, so that the messages are in this order.
  await notifyOutcomes(app, untold);
  return past;
}

/** Cuts to begin with the first user message and to end with the last assistant message. */
export function atTurnBoundary<T extends { role: string }>(messages: readonly T[]): T[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return first === -1 ? [] : messages.slice(first, last + 1);
}

type Said = { index: number; messages: ModelMessage[] };

/** Each user message begins a turn; its message index is the index of the turn. */
function turnsOf(messages: readonly Message[]): Said[] {
  const turns: Said[] = [];
  for (const message of messages) {
    const { role, content, messageIndex } = message;
    if (role === 'user') turns.push({ index: messageIndex, messages: [] });
    turns
      .at(-1)
      ?.messages.push(
        role === 'user'
          ? { role: 'user', content }
          : { role: 'assistant', content: answerOf(message) },
      );
  }
  return turns;
}

/** Vendors refuse empty messages; an unfinished answer is marked as broken off. */
function answerOf({ content: text, status }: Message): string {
  if (text.trim() === '') return BROKEN_OFF;
  return status === 'UNFINISHED' ? `${text}\n\n${BROKEN_OFF}` : text;
}

async function actionsIn(
  app: App,
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
): Promise<ActionView[]> {
  const rows = await actionsOf(q, tenantId)
    .where('svc_action.userId', '=', principalId)
    .where('svc_action.conversationId', '=', conversationId)
    // Actions outlive a deleted conversation, and its id may be used again: skip those before the session.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('svc_session')
          .select('svc_session.id')
          .where('svc_session.tenantId', '=', tenantId)
          .where('svc_session.userId', '=', principalId)
          .where('svc_session.conversationId', '=', conversationId)
          .whereRef('svc_session.createTime', '<=', 'svc_action.createTime'),
      ),
    )
    .orderBy('svc_action.id', 'desc')
    .limit(MAX_RECEIPTS)
    .execute();
  return rows.toReversed().map((row) => viewOf(row, app.clock.now()));
}

/** Loads these actions for the cards of an answer. */
export const actionsById = (
  app: App,
  caller: Caller,
  actionIds: readonly string[],
): Promise<ActionView[]> =>
  actionIds.length === 0
    ? Promise.resolve([])
    : inTenant(app.db, caller.tenantId, async (q) => {
        const rows = await actionsOf(q, caller.tenantId)
          .where('svc_action.actionId', 'in', [...actionIds])
          .orderBy('svc_action.id')
          .execute();
        return rows.map((row) => viewOf(row, app.clock.now()));
      });

type Question = {
  conversationId: string;
  model: string;
  /** Preferences given in the request. */
  ext: SessionExt;
  text: string;
  attachments: readonly Attachment[];
};

/** Place of a stored turn: conversation, session row, and message index of the question. */
export type Kept = { conversationId: string; sessionId: string; turnIndex: string };

/** Stores the question before the model request is sent, so that a crash loses no question. */
export const keepQuestion = (
  app: App,
  caller: Caller,
  { conversationId, model, ext, text, attachments }: Question,
): Promise<Kept> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const words = text.replaceAll(/\s+/g, ' ').trim();
    const title = storable(words.slice(0, MAX_TITLE)) || 'New conversation';
    const sessionId = await touchSession(app, q, caller, { conversationId, title, ext });
    const attached = attachments.map(({ id, fileName, contentType, size }) => ({
      id,
      fileName,
      contentType,
      size,
    }));
    const content: Content = {
      text,
      tools: [],
      actions: [],
      ...(attached.length === 0 ? {} : { attachments: attached }),
    };
    const message = { role: 'user', content, model, isFinished: true } as const;
    const turnIndex = await append(app, q, caller, conversationId, message);
    return { conversationId, sessionId, turnIndex };
  });

/** An answer to store: its content, and all messages of its turn, question first. */
export type NewAnswer = {
  model: string;
  content: Content;
  messages: readonly ModelMessage[];
  /** Text received after the last complete message. */
  unsaid: string;
  isFinished: boolean;
};

/**
 * Stores an answer, also an unfinished one, and with the memory on the messages of its turn. Stores nothing
 * when the session was deleted since the question, even if a new session has the same conversation id.
 */
export const keepAnswer = (
  app: App,
  caller: Caller,
  { conversationId, sessionId, turnIndex }: Kept,
  { model, content, messages, unsaid, isFinished }: NewAnswer,
): Promise<void> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    if (!(await continueSession(app, q, caller, sessionId))) return;
    const message = { role: 'assistant', content, model, isFinished } as const;
    await append(app, q, caller, conversationId, message);
    await keepMemory(app, q, caller, { conversationId, turnIndex }, wholeTurn(messages, unsaid));
  });
