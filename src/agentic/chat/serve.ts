import type { ServerResponse } from 'node:http';

import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError, Outdated } from '../../kernel/errors.ts';
import { reasonFor } from '../provider/reason.ts';
import { jsonSink } from './answer/json.ts';
import { openAiError } from './answer/openai-error.ts';
import { directOutlet } from './answer/outlet.ts';
import { recordTurn } from './answer/recording/recording.ts';
import type { ChatSink } from './answer/sink.ts';
import { streamSink } from './answer/stream.ts';
import type { StoredTurn } from './branch/past-turns.ts';
import type { Logprobs, TurnEnd, TurnEvent, TurnHead } from './loop/event.ts';
import { runTurn } from './loop/loop.ts';
import { recorded } from './loop/transcript.ts';
import { inOrder } from './order.ts';
import { cite, reportActions, type Run } from './report.ts';
import { type ChatRequest, readChatRequest } from './request/request.ts';
import { TURN_SLOTS } from './slots.ts';
import { type Turn, prepare } from './turn/prepare.ts';
import { openRecord, storeAsked, storeRecord } from './turn/record.ts';
import { park } from './turn/replay.ts';
import { recognised } from './turn/resent.ts';
import { storeQuestion } from './turn/store.ts';

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
        ? recordTurn(app, caller, { turnId: head.id, conversationId: named })
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
    const request = await recognised(app, caller, await form.read());
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

/** Runs the turn into the sink and stores the answer, also an unfinished one. */
async function answer(
  app: App,
  caller: Limited,
  turn: Turn,
  { stored, sink, signal }: { stored: StoredTurn | null; sink: ChatSink; signal: AbortSignal },
): Promise<void> {
  const record = openRecord(turn, stored);
  const run: Run = { app, caller, turn, sink, signal, record };
  const say = (text: string): Promise<void> | undefined => addText(run, text);
  if (stored) sink.stored();
  let end: TurnEnd | undefined;
  try {
    for (const action of turn.ended) await sink.decided?.(action);
    for await (const event of runTurn(app, caller, recorded(app, turn.options), signal, say))
      if (event.type === 'end') end = await finish(run, event);
      else await take(run, event);
  } catch (error) {
    // Proposed actions stay pending after an error: the client gets their cards with it.
    if (!record.hasReported)
      await reportActions(run).catch((failure: unknown) => {
        const { conversationId } = turn.head;
        app.log.error({ error: failure, conversationId }, 'cards of a failed chat turn not sent');
      });
    if (!signal.aborted) record.content.failure = openAiError(error).body.error.message;
    await storeRecord(app, caller, turn, record, false);
    throw error;
  }
  if (end) await sink.end(end);
}

function addText(
  { sink, record }: Run,
  text: string,
  logprobs?: Logprobs,
): Promise<void> | undefined {
  record.content.text += text;
  record.partial += text;
  return sink.text(text, logprobs);
}

/** Records an event and sends what the client sees of it. */
async function take(run: Run, event: Exclude<TurnEvent, TurnEnd>): Promise<void> {
  const { turn, sink, record } = run;
  switch (event.type) {
    case 'text':
      await takeText(run, event);
      break;
    case 'reasoning':
      await sink.reasoning?.(event.text);
      break;
    case 'message':
      record.messages.push(event.message);
      record.partial = '';
      break;
    case 'action':
      await takeAction(run, event.actionId, record.proposed);
      break;
    case 'decided':
      await takeAction(run, event.actionId, record.decided);
      break;
    case 'values':
      record.sources.push(...event.sources);
      record.values += event.values;
      break;
    case 'fallback':
      turn.head.model = event.model.name;
      turn.head.provider = event.model.providerName;
      await sink.warn('model_fallback');
      break;
    case 'ignored':
      await sink.warn(`${event.parameter}_ignored`);
      break;
    case 'handed':
      record.clientCalls = event.calls;
      break;
    case 'tool.start':
      await sink.tool(event);
      break;
    case 'tool.end': {
      const { type: _type, ...trace } = event;
      record.content.tools.push(trace);
      await sink.tool(event);
      break;
    }
  }
}

async function takeText(
  run: Run,
  { text, logprobs, isRefusal }: Extract<TurnEvent, { type: 'text' }>,
): Promise<void> {
  const { turn, sink, record } = run;
  if (!isRefusal || !turn.isFormed || !sink.refuse) return addText(run, text, logprobs);
  record.content.text += text;
  record.partial += text;
  return sink.refuse(text);
}

/** Records a proposal, or a write that was decided beforehand. */
async function takeAction(
  { app, caller, turn, sink, record }: Run,
  id: string,
  all: string[],
): Promise<void> {
  const { actions } = record.content;
  if (!actions.includes(id)) actions.push(id);
  all.push(id);
  if (record.stored) return;
  // It gets a conversation, which gets the receipt; what it may use is held back already.
  record.stored = await storeQuestion(app, caller, turn.question, null);
  sink.stored();
}

/** Sends what goes with the whole text, and stores the answer before the client gets the end. */
async function finish(run: Run, end: TurnEnd): Promise<TurnEnd> {
  const { app, caller, turn, sink, record } = run;
  await cite(run);
  await reportActions(run);
  const calls = record.clientCalls;
  // Its next turn must find this answer.
  await app.of(TURN_SLOTS).end(() => storeRecord(app, caller, turn, record, calls.length === 0));
  if (calls.length > 0) {
    await park(app, caller, turn.options.handle, {
      conversationId: turn.head.conversationId,
      before: turn.returned,
      messages: record.messages.slice(turn.asked.length),
      told: record.content,
      place: record.stored,
    });
    await sink.calls(calls);
  }
  return end.stop === 'pending' && !record.isPending ? { ...end, stop: 'answered' } : end;
}
