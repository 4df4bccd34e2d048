import type { ModelMessage } from '../../../providers/provider.ts';
import type { App, Caller } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { type ActionView, actionsOf, viewOf } from '../action/action-view.ts';
import { append, type Content, latestMessages, storable } from '../message.ts';
import { preferencesOf, type SessionExt, touchSession } from '../session.ts';
import type { Stop } from './chat-loop.ts';

const MAX_RECEIPTS = 10;
const MAX_TITLE = 60;

export type Memory = {
  ext: SessionExt;
  turns: ModelMessage[];
  /** The conversation's latest actions as they are now, oldest first. */
  actions: ActionView[];
};

/** What is stored of a conversation: preferences, the turns inside the history window, actions. */
export const recall = (app: App, caller: Caller, conversationId: string): Promise<Memory> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const window = app.config.agentic.historyWindow;
    const stored = await latestMessages(q, caller, conversationId, window);
    return {
      ext: await preferencesOf(q, caller, conversationId),
      turns: atTurnBoundary(
        stored.map(({ role, content }) => ({
          role: role === 'assistant' ? 'assistant' : 'user',
          content: content.text,
        })),
      ),
      actions: await actionsIn(app, q, caller, conversationId),
    };
  });

/** Cuts so that history begins with what a user said and ends with an answer to it. */
export function atTurnBoundary(messages: readonly ModelMessage[]): ModelMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return first === -1 ? [] : messages.slice(first, last + 1);
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
    .orderBy('svc_action.id', 'desc')
    .limit(MAX_RECEIPTS)
    .execute();
  return rows.toReversed().map((row) => viewOf(row, app.clock.now()));
}

/** The actions with these ids as the database has them, for the cards of an answer. */
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

type Turn = { conversationId: string; ext: SessionExt; model: string };

/** Keeps what the user said before the model is asked, so that a crash loses no question. */
export const keepQuestion = (app: App, caller: Caller, turn: Turn, text: string): Promise<void> =>
  keep(app, caller, turn, 'user', { text, tools: [], actions: [] }, 'answered');

/** Keeps an answer; `stop` null marks it unfinished. */
export const keepAnswer = (
  app: App,
  caller: Caller,
  turn: Turn,
  content: Content,
  stop: Stop | null,
): Promise<void> => keep(app, caller, turn, 'assistant', content, stop);

const keep = (
  app: App,
  caller: Caller,
  { conversationId, ext, model }: Turn,
  role: 'user' | 'assistant',
  content: Content,
  stop: Stop | null,
): Promise<void> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const title = storable(content.text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE));
    await touchSession(app, q, caller, { conversationId, title: title || 'New conversation', ext });
    await append(app, q, caller, conversationId, {
      role,
      content,
      model,
      isFinished: stop !== null,
    });
  });
