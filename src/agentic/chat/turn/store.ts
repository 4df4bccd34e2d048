import type { ModelMessage } from '../../../../providers/request/provider.ts';
import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import type { TurnAccount } from '../../accounting/account.ts';
import { budgetError } from '../../accounting/reserve.ts';
import type { Step } from '../../accounting/step.ts';
import type { Attachment } from '../../attachment/attachment.ts';
import { keepHandle } from '../../session/handle.ts';
import type { Content } from '../../session/message-content.ts';
import { append, textHandle } from '../../session/message.ts';
import { continueSession, type SessionExt, titleOf, touchSession } from '../../session/session.ts';
import { type Branch, leaveFrom } from '../branch/branch.ts';
import { keepMemory, type StoredTurn, wholeTurn } from '../branch/past-turns.ts';
import { follow, type Path } from '../branch/path.ts';

export type Question = {
  conversationId: string;
  model: string;
  /** Preferences given in the request. */
  ext: SessionExt;
  text: string;
  attachments: readonly Attachment[];
  /** When the turn began, in ms since the epoch. */
  since: number;
  /** Where the turn branches off; null: it goes on where the conversation is. */
  branch: Branch | Path | null;
  turnId: string;
};

/** How long an answer without a conversation is known again. */
const HANDLE_MS = 30 * 24 * 3_600_000;

/**
 * Stores the question before the model request is sent, so that a crash loses no question, and holds back what the
 * turn may use of its budgets; throws 429, and stores nothing, where one is used up.
 */
export const storeQuestion = (
  app: App,
  caller: Caller,
  { conversationId, model, ext, text, attachments, since, branch, turnId }: Question,
  account: TurnAccount | null,
): Promise<StoredTurn> =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
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
    const message = { role: 'user', content, model, isFinished: true, turnId } as const;
    // Another answer belongs to the question that is there.
    const again =
      branch?.how === 'regenerate'
        ? branch.at
        : branch?.how === 'path'
          ? (branch.again ?? null)
          : null;
    const [sessionId, , , turnIndex] = await Promise.all([
      touchSession(app, q, caller, { conversationId, title: titleOf(text), ext, since }),
      branch?.how === 'path'
        ? follow(q, caller, conversationId, branch)
        : branch && leaveFrom(q, caller, conversationId, again === null ? branch.at : again + 1),
      Promise.all(broughtBy(branch).map((said) => append(app, q, caller, conversationId, said))),
      again === null ? append(app, q, caller, conversationId, message) : String(again),
      account?.hold(q),
    ]);
    if (turnIndex === null) throw new Error('a question was not stored');
    return { conversationId, sessionId, turnIndex };
  }).catch((error: unknown) => {
    throw budgetError(app, caller, error);
  });

/** What a client has of the conversation and the platform has not, in its words. */
const broughtBy = (branch: Question['branch']) =>
  (branch?.how === 'path' ? (branch.brought ?? []) : []).map(({ role, text }) => ({
    role,
    content: { text, tools: [], actions: [] },
    model: '',
    isFinished: true,
  }));

/** An answer to store: its content, and all messages of its turn, question first. */
export type NewAnswer = {
  model: string;
  content: Content;
  messages: readonly ModelMessage[];
  /** Text received after the last complete message. */
  partial: string;
  isFinished: boolean;
  turnId: string;
  /** It waits for tools of the client, and goes on in the next request. */
  isParked: boolean;
  /** A part of it may be stored already. */
  continues: boolean;
  used: readonly Step[];
};

/** Remembers an answer that is in no conversation: a client that resends it brings along what its turn had read. */
export const storeAnswerHandle = (
  app: App,
  caller: Caller,
  conversationId: string,
  text: string,
  close: (q: Queries) => Promise<void>,
): Promise<unknown> =>
  inOneTrip(app.db, caller.tenantId, (q) =>
    Promise.all([
      keepHandle(app, q, caller, { handle: textHandle(text), conversationId, keptMs: HANDLE_MS }),
      close(q),
    ]),
  );

/** Stores what a turn used that is stored nowhere else. */
export const storeUse = (
  app: App,
  caller: Caller,
  account: TurnAccount,
  used: readonly Step[],
): Promise<void> => inOneTrip(app.db, caller.tenantId, (q) => account.close(q, used));

/**
 * Stores an answer, also an unfinished one, and with the memory on the messages of its turn. Stores nothing
 * when the session was deleted since the question, even if a new session has the same conversation id.
 */
export async function storeAnswer(
  app: App,
  caller: Caller,
  stored: StoredTurn,
  { model, content, messages, partial, isFinished, turnId, isParked, continues, used }: NewAnswer,
  account: TurnAccount,
): Promise<void> {
  const { conversationId, sessionId, turnIndex } = stored;
  const message = {
    role: 'assistant',
    content,
    model,
    isFinished,
    sessionId,
    turnId,
    ...(continues ? { continues: turnIndex } : {}),
  } as const;
  await inOneTrip(app.db, caller.tenantId, (q) =>
    Promise.all([
      continueSession(app, q, caller, sessionId),
      append(app, q, caller, conversationId, message),
      ...(isParked ? [] : [keepMemory(app, q, caller, stored, wholeTurn(messages, partial))]),
      account.close(q, used),
    ]),
  );
}
