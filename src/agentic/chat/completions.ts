import type { ServerResponse } from 'node:http';

import type { ToolCall } from '../../../providers/provider.ts';
import type { App } from '../../app.ts';
import type { Limited } from '../../auth/connection/denial.ts';
import { Outdated } from '../../core/errors.ts';
import { markdownOf } from '../action/card/markdown.ts';
import { recorded } from '../record/record.ts';
import { type ChatSink, jsonSink, streamSink } from './answer.ts';
import { park } from './client-tool/parked.ts';
import { actionsById } from './history.ts';
import { keepAnswer, keepQuestion, keepSaid } from './keep.ts';
import { runTurn, type TurnEnd } from './loop.ts';
import { openAiError } from './openai-error.ts';
import { type ChatRequest, readChatRequest } from './request/request.ts';
import { prepare, type Turn } from './turn.ts';

/**
 * POST /chat/completions (docs/specification/assistant.md, Chat completions) in OpenAI's shape, as JSON or
 * as server-sent chunks; `signal` fires when the client disconnects. Writes every response itself, errors
 * included. A turn of a conversation takes three trips to the database beside those of its tools: reads, question, answer. Each
 * missing receipt of an earlier action takes a transaction more, the cards of proposed actions a trip.
 */
export async function chatCompletions(
  app: App,
  caller: Limited,
  body: unknown,
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  await serveTurn(app, caller, res, signal, {
    read: async () => readChatRequest(body),
    sink: ({ head }, { stream, includeUsage }) =>
      stream ? streamSink(app, res, head, { includeUsage, signal }) : jsonSink(res, head),
  });
}

/** A form of turns over HTTP: how a request is read, and how its answer is written. */
export type TurnForm = {
  read(): Promise<ChatRequest>;
  sink(turn: Turn, request: ChatRequest): ChatSink;
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
  try {
    const request = await form.read();
    const turn = await prepare(app, caller, request);
    // On a closed response, no `close` event would stop the keep-alive timer of a stream.
    signal.throwIfAborted();
    // A stream sends status 200 here: later errors go into the stream. JSON keeps an error status.
    sink = form.sink(turn, request);
    await answer(app, caller, turn, sink, signal);
  } catch (error) {
    // The first trip found other facts: nothing was done or sent, and the turn begins again on the present ones.
    if (error instanceof Outdated) throw error;
    if (signal.aborted) return void res.destroy();
    const { status, headers, body: shaped } = openAiError(error);
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

/** Runs the turn into the sink and stores the answer, also an unfinished one. */
async function answer(
  app: App,
  caller: Limited,
  turn: Turn,
  sink: ChatSink,
  signal: AbortSignal,
): Promise<void> {
  const { options, head, keeping, place, question, asked } = turn;
  const { text: said, tools, actions } = turn.told ?? { text: '', tools: [], actions: [] };
  const told = { text: said, tools: [...tools], actions: [...actions] };
  const messages = [...asked];
  const proposed: string[] = [];
  let unsaid = '';
  let handed: readonly ToolCall[] = [];
  const { conversationId } = head;
  // A stream begins while the question is stored; the model is asked when it is.
  let kept = place ?? (keeping === 'always' ? await keepQuestion(app, caller, question) : null);
  if (kept) sink.stored();
  const keep = async (isFinished: boolean): Promise<void> => {
    const all = { model: head.model, content: told, messages, unsaid, isFinished };
    const isParked = handed.length > 0;
    const continues = place !== null;
    try {
      if (kept) await keepAnswer(app, caller, kept, { ...all, isParked, continues });
      else if (isFinished && keeping === 'proposal' && told.text.trim() !== '')
        await keepSaid(app, caller, conversationId, told.text);
    } catch (error) {
      app.log.error({ error, conversationId }, 'chat answer not saved');
    }
  };
  let isShown = false;
  /** Sends the cards of the proposed actions, worded by the server and not by the model. */
  async function showCards(): Promise<void> {
    isShown = true;
    const cards = await actionsById(app, caller, proposed);
    const block = cards.map((card) => markdownOf(card, app.config.baseUrl)).join('');
    told.text += block;
    if (signal.aborted) return;
    for (const card of cards) await sink.pending(card);
    if (block && !turn.isFormed) await sink.text(block);
  }
  let end: TurnEnd | undefined;
  try {
    for (const name of turn.ignored) await sink.warn(`${name}_ignored`);
    for await (const event of runTurn(app, caller, recorded(app, options), signal)) {
      if (event.type === 'text') {
        told.text += event.text;
        unsaid += event.text;
        await sink.text(event.text, event.logprobs);
      } else if (event.type === 'message') {
        messages.push(event.message);
        unsaid = '';
      } else if (event.type === 'action') {
        told.actions.push(event.actionId);
        proposed.push(event.actionId);
        // The proposal gets a conversation, which gets the receipt.
        if (!kept) {
          kept = await keepQuestion(app, caller, question);
          sink.stored();
        }
      } else if (event.type === 'handed') {
        handed = event.calls;
      } else if (event.type === 'end') {
        await showCards();
        // Stored before the client gets the end: its next turn must find this answer.
        await keep(handed.length === 0);
        if (handed.length > 0) {
          const steps = messages.slice(asked.length);
          await park(app, caller, options.handle, {
            conversationId,
            before: turn.returned,
            messages: steps,
            told,
            place: kept,
          });
          await sink.calls(handed);
        }
        end = event;
      } else {
        if (event.type === 'tool.end') {
          const { type: _type, ...trace } = event;
          told.tools.push(trace);
        }
        await sink.tool(event);
      }
    }
  } catch (error) {
    // Proposed actions stay pending after an error: the client gets their cards with it.
    if (!isShown)
      await showCards().catch((failure: unknown) =>
        app.log.error({ error: failure, conversationId }, 'cards of a failed chat turn not sent'),
      );
    await keep(false);
    throw error;
  }
  if (end) await sink.end(end);
}
