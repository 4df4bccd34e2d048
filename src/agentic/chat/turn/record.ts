import type { ModelMessage, ToolCall } from '../../../../providers/request/provider.ts';
import type { Limited } from '../../../auth/connection/denial.ts';
import type { App } from '../../../kernel/app/app.ts';
import type { Source } from '../../session/citation.ts';
import type { Content } from '../../session/message-content.ts';
import type { StoredTurn } from '../branch/past-turns.ts';
import type { Turn } from './prepare.ts';
import { storeAnswer, storeAnswerHandle, storeQuestion, storeUse } from './store.ts';

/** What a turn has answered so far, and what has to be stored of it. */
export type TurnRecord = {
  /** Where the question is stored; null: nowhere. */
  stored: StoredTurn | null;
  content: Content;
  /** All messages of the turn, question first. */
  messages: ModelMessage[];
  /** Text received after the last complete message. */
  partial: string;
  /** Actions that the turn proposed, and those that a standing approval has decided. */
  proposed: string[];
  decided: string[];
  /** The values in the results of its tools. */
  sources: Source[];
  /** Calls that wait for the client's tools. */
  clientCalls: readonly ToolCall[];
  /** How many values its tools returned. */
  values: number;
  /** What became of the actions has been sent; some of them wait for a decision. */
  hasReported: boolean;
  isPending: boolean;
};

export function openRecord({ answered, asked }: Turn, stored: StoredTurn | null): TurnRecord {
  const { text, tools, actions } = answered ?? { text: '', tools: [], actions: [] };
  return {
    stored,
    content: { text, tools: [...tools], actions: [...actions] },
    messages: [...asked],
    partial: '',
    proposed: [],
    decided: [],
    sources: [],
    clientCalls: [],
    values: 0,
    hasReported: false,
    isPending: false,
  };
}

/** Stores the question: a stream has begun, and the model is asked when it is stored. */
export async function storeAsked(
  app: App,
  caller: Limited,
  turn: Turn,
): Promise<StoredTurn | null> {
  const { storing, continued, question, account } = turn;
  const stored =
    continued ??
    (storing === 'always' ? await storeQuestion(app, caller, question, account) : null);
  if (continued !== null || stored === null) await account.holdMore();
  return stored;
}

/** Stores the answer and what it used, also of an unfinished one; an error is logged. */
export async function storeRecord(
  app: App,
  caller: Limited,
  turn: Turn,
  record: TurnRecord,
  isFinished: boolean,
): Promise<void> {
  const { head, account, options, storing, continued } = turn;
  const { stored, content, messages, partial, clientCalls } = record;
  const { conversationId } = head;
  const used = options.asking.steps;
  const answer = {
    model: head.model,
    content,
    messages,
    partial,
    isFinished,
    turnId: head.id,
    isParked: clientCalls.length > 0,
    continues: continued !== null,
    used,
  };
  try {
    if (stored) await storeAnswer(app, caller, stored, answer, account);
    else if (isFinished && storing === 'proposal' && content.text.trim() !== '')
      await storeAnswerHandle(app, caller, conversationId, content.text, (q) =>
        account.close(q, used),
      );
    else await storeUse(app, caller, account, used);
  } catch (error) {
    app.log.error({ error, conversationId }, 'chat answer not saved');
  }
}
