import type { ServerResponse } from 'node:http';

import type { ToolCall } from '../../../providers/provider.ts';
import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError, Outdated } from '../../kernel/errors.ts';
import { markdownOf } from '../action/card/markdown.ts';
import { presentText } from '../action/receipt-text.ts';
import { reasonFor } from '../provider/reason.ts';
import { citationsIn, type Source } from '../session/citation.ts';
import type { Content } from '../session/message-content.ts';
import type { StoredTurn } from '../session/past-turns.ts';
import { correctionOf } from './answer/correction.ts';
import { jsonSink } from './answer/json.ts';
import { openAiError } from './answer/openai-error.ts';
import { directOutlet } from './answer/outlet.ts';
import { record } from './answer/recording.ts';
import type { ChatSink } from './answer/sink.ts';
import { streamSink } from './answer/stream.ts';
import { inOrder } from './order.ts';
import { type ChatRequest, readChatRequest } from './request/request.ts';
import { TURN_SLOTS } from './slots.ts';
import type { Logprobs, TurnEnd, TurnHead } from './turn/event.ts';
import { actionsById } from './turn/history.ts';
import { runTurn } from './turn/loop.ts';
import { park } from './turn/parked.ts';
import { prepare, type Turn } from './turn/prepare.ts';
import { keepAnswer, keepQuestion, keepSaid, keepUse } from './turn/store.ts';
import { recorded } from './turn/transcript.ts';

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
    begin(head, { stream, includeUsage, resumable }) {
      if (!stream) return { sink: jsonSink(res, head), signal };
      const named = head.isStored ? head.conversationId : null;
      const recording = resumable
        ? record(app, caller, { turnId: head.id, conversationId: named })
        : null;
      recording?.follow(res, 0);
      // A stream sends status 200 here: later errors go into the stream. JSON keeps an error status.
      const outlet = recording ?? directOutlet(app, res, named, signal);
      return {
        sink: streamSink(outlet, head, { includeUsage }),
        signal: recording?.signal ?? signal,
      };
    },
  });
}

/** A form of turns over HTTP: how a request is read, and how its answer is written. */
export type TurnForm = {
  read(): Promise<ChatRequest>;
  /** As soon as the model is known; a signal of its own where the turn goes on without its client. */
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
      const { turn, kept } = await app.of(TURN_SLOTS).start(async () => {
        const prepared = await prepare(app, caller, request, (head) => {
          // On a closed response, no `close` event would stop the keep-alive timer of a stream.
          signal.throwIfAborted();
          ({ sink, signal: running } = form.begin(head, request));
        });
        running.throwIfAborted();
        return { turn: prepared, kept: await keepAsked(app, caller, prepared) };
      });
      if (!sink) throw new Error('a turn was prepared that did not begin');
      await answer(app, caller, { ...turn, kept }, sink, running);
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
async function keepAsked(app: App, caller: Limited, turn: Turn): Promise<StoredTurn | null> {
  const { keeping, place, question, account } = turn;
  const kept =
    place ?? (keeping === 'always' ? await keepQuestion(app, caller, question, account) : null);
  if (place !== null || kept === null) await account.holdMore();
  return kept;
}

/** Runs the turn into the sink and stores the answer, also an unfinished one. */
// oxlint-disable-next-line complexity, max-lines-per-function
async function answer(
  app: App,
  caller: Limited,
  turn: Turn & { kept: StoredTurn | null },
  sink: ChatSink,
  signal: AbortSignal,
): Promise<void> {
  const { options, head, keeping, place, question, asked, account } = turn;
  const { text: said, tools, actions } = turn.told ?? { text: '', tools: [], actions: [] };
  const told: Content = { text: said, tools: [...tools], actions: [...actions] };
  const decided: string[] = [];
  const sources: Source[] = [];
  const messages = [...asked];
  const proposed: string[] = [];
  let unsaid = '';
  let falseClaims = 0;
  let handed: readonly ToolCall[] = [];
  const { conversationId } = head;
  let { kept } = turn;
  if (kept) sink.stored();
  const keep = async (isFinished: boolean): Promise<void> => {
    const all = {
      model: head.model,
      content: told,
      messages,
      unsaid,
      isFinished,
      turnId: head.id,
    };
    const used = { steps: options.asking.steps, falseClaims };
    const isParked = handed.length > 0;
    const continues = place !== null;
    try {
      if (kept) await keepAnswer(app, caller, kept, { ...all, isParked, continues, used }, account);
      else if (isFinished && keeping === 'proposal' && told.text.trim() !== '')
        await keepSaid(app, caller, conversationId, told.text, (q) => account.close(q, used));
      else await keepUse(app, caller, account, used);
    } catch (error) {
      app.log.error({ error, conversationId }, 'chat answer not saved');
    }
  };
  const say = (text: string, logprobs?: Logprobs): Promise<void> | undefined => {
    told.text += text;
    unsaid += text;
    return sink.text(text, logprobs);
  };
  let isShown = false;
  let waits = false;
  /** Sends the values behind the figures of the text. */
  async function cite(): Promise<void> {
    const citations = citationsIn(told.text, sources, app.config.baseUrl);
    if (citations.length === 0) return;
    told.citations = citations;
    await sink.cite?.(citations);
  }
  /** Sends what became of the proposed actions, worded by the server and not by the model; the cards of those that wait. */
  async function showCards(): Promise<void> {
    isShown = true;
    const all = await actionsById(app, caller, [...proposed, ...decided]);
    const ours = all.filter(({ actionId }) => proposed.includes(actionId));
    const cards = ours.filter(({ pendingConfirmation }) => pendingConfirmation);
    waits = cards.length > 0;
    for (const action of all)
      if (!signal.aborted && action.status !== 'PENDING') await sink.decided?.(action);
    const { isFormed } = turn;
    const facts = { proposed: all, earlier: turn.actions, messages, isFormed };
    const correction = correctionOf(told.text, facts);
    if (correction !== '') falseClaims = 1;
    // A client keeps the text, and shows it when more is known.
    const at = new Date(app.clock.now()).toISOString();
    const over = ours.filter((one) => !cards.includes(one)).map(presentText);
    const known = [...new Set([correction, ...over])].filter((line) => line !== '');
    const shown = { base: app.config.baseUrl, at };
    const lines = known.map((line) => `\n\n> At ${at}: ${line}\n`).join('');
    const block = cards.map((card) => markdownOf(card, shown)).join('');
    told.text += lines + block;
    if (signal.aborted) return;
    // A client that draws cards leaves out the text from the first one on.
    if (lines && !isFormed) await sink.text(lines);
    for (const card of cards) await sink.pending(card);
    // The content of such an answer stays JSON: what is known goes beside it.
    if (isFormed && correction !== '') await sink.warn('unproven_claim', correction);
    if (block && !isFormed) await sink.text(block);
  }
  let end: TurnEnd | undefined;
  try {
    for (const action of turn.ended) await sink.decided?.(action);
    for await (const event of runTurn(app, caller, recorded(app, options), signal, say)) {
      if (event.type === 'text' && event.isRefusal && turn.isFormed && sink.refuse) {
        told.text += event.text;
        unsaid += event.text;
        await sink.refuse(event.text);
      } else if (event.type === 'text') {
        await say(event.text, event.logprobs);
      } else if (event.type === 'reasoning') {
        await sink.reasoning?.(event.text);
      } else if (event.type === 'message') {
        messages.push(event.message);
        unsaid = '';
      } else if (event.type === 'action') {
        told.actions.push(event.actionId);
        proposed.push(event.actionId);
        // The proposal gets a conversation, which gets the receipt.
        if (!kept) {
          // What it may use is held back already.
          kept = await keepQuestion(app, caller, question, null);
          sink.stored();
        }
      } else if (event.type === 'decided') {
        decided.push(event.actionId);
      } else if (event.type === 'sources') {
        sources.push(...event.sources);
      } else if (event.type === 'fallback') {
        head.model = event.model.name;
        head.provider = event.model.providerName;
        await sink.warn('model_fallback');
      } else if (event.type === 'ignored') {
        await sink.warn(`${event.parameter}_ignored`);
      } else if (event.type === 'handed') {
        handed = event.calls;
      } else if (event.type === 'end') {
        await cite();
        await showCards();
        // Stored before the client gets the end: its next turn must find this answer.
        await app.of(TURN_SLOTS).end(() => keep(handed.length === 0));
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
        end = event.stop === 'pending' && !waits ? { ...event, stop: 'answered' } : event;
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
