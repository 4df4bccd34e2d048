import type { ServerResponse } from 'node:http';

import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError, Outdated } from '../../kernel/errors.ts';
import { reasonFor } from '../provider/reason.ts';
import type { StoredTurn } from '../session/past-turns.ts';
import { openAiError } from './answer/openai-error.ts';
import type { ChatSink } from './answer/sink.ts';
import { inOrder } from './order.ts';
import type { ChatRequest } from './request/request.ts';
import { answer } from './run.ts';
import { TURN_SLOTS } from './slots.ts';
import type { TurnHead } from './turn/event.ts';
import { prepare, type Turn } from './turn/prepare.ts';
import { storeQuestion } from './turn/store.ts';

/** A form of turns over HTTP: how a request is read, and how its answer is written. */
export type TurnForm = {
  read(): Promise<ChatRequest>;
  /** Is called when the model is known; `signal` ends the turn, and not with the client where the turn goes on. */
  begin(head: TurnHead, request: ChatRequest): { sink: ChatSink; signal: AbortSignal };
};

/** Runs one turn in this form, errors included. */
export async function serveTurn(
  app: App,
  caller: Limited,
  res: ServerResponse,
  signal: AbortSignal,
  form: TurnForm,
): Promise<void> {
  let sink: ChatSink | undefined;
  let running = signal;
  try {
    const request = await form.read();
    const { conversationId } = request;
    await inOrder(app, caller, conversationId, signal, async () => {
      const { turn, stored } = await app.of(TURN_SLOTS).start(async () => {
        const prepared = await prepare(app, caller, request, (head) => {
          // On a closed response, no `close` event would stop the keep-alive timer of a stream.
          signal.throwIfAborted();
          ({ sink, signal: running } = form.begin(head, request));
        });
        running.throwIfAborted();
        return { turn: prepared, stored: await storeAsked(app, caller, prepared) };
      });
      if (!sink) throw new Error('a turn was prepared that did not begin');
      await answer(app, caller, turn, { stored, sink, signal: running });
    });
  } catch (error) {
    // The first trip found other facts: nothing was done or sent, and the turn begins again on the present ones.
    if (error instanceof Outdated && !res.headersSent) throw error;
    if (signal.aborted && running === signal) return void res.destroy();
    const refusal = running.aborted
      ? new AppError(499, 'turn_stopped', 'This answer was stopped')
      : error;
    const { status, headers, body: shaped } = openAiError(refusal);
    shaped.error.message += reasonFor(caller, refusal);
    if (status >= 500) app.log.error({ error }, 'a chat turn failed');
    else if (error instanceof Error && error.cause !== undefined)
      app.log.warn({ error }, 'a chat turn was refused');
    if (sink?.fail(shaped)) return;
    const text = JSON.stringify({ ...shaped, ...sink?.extraFields() });
    res
      .writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
        'x-should-retry': 'false',
        ...headers,
      })
      .end(text);
  }
}

/** Stores the question: a stream has begun, and the model is asked when it is stored. */
async function storeAsked(app: App, caller: Limited, turn: Turn): Promise<StoredTurn | null> {
  const { storing, continued, question, account } = turn;
  const stored =
    continued ??
    (storing === 'always' ? await storeQuestion(app, caller, question, account) : null);
  if (continued !== null || stored === null) await account.holdMore();
  return stored;
}
