import type { ServerResponse } from 'node:http';

import { flatAnnotationOf } from '../../session/citation.ts';
import type { TurnHead } from '../loop/event.ts';
import type { Echo } from '../request/response-request.ts';
import { eventLog, startEvent } from './event.ts';
import type { Outlet } from './outlet.ts';
import { messageFrames, type Send, thoughtFrames } from './response-frames.ts';
import { messageId, responseState, statusOf } from './response-state.ts';
import { callItem, type ChatResponse } from './response.ts';
import type { ChatSink } from './sink.ts';

type Hooks = {
  echo: Echo;
  /** Called before the end of a response that belongs to a stored conversation, with all of it. */
  remember(response: ChatResponse): Promise<void>;
  /** Called when its question is stored. */
  begun?(response: ChatResponse): void;
  /** Called before the end of one that fails or is stopped, with what there is of it. */
  failed?(response: ChatResponse): Promise<void>;
};

/** One `response` object, written when the turn has ended. */
export function responseSink(
  res: ServerResponse,
  head: TurnHead,
  { echo, remember }: Hooks,
): ChatSink {
  const log = eventLog(head, async () => {});
  const record = responseState(head, echo, log);
  log.add(startEvent(head));
  return {
    ...log.sink,
    text(text, logprobs) {
      record.add(text, logprobs);
      return undefined;
    },
    async refuse(text) {
      record.refuse(text);
    },
    async reasoning(text) {
      record.think(text);
    },
    async facts(facts, line) {
      record.add(line);
      log.add({ type: 'facts', ...facts });
    },
    async calls(calls) {
      record.state.calls = calls;
    },
    async end(end) {
      log.end(end);
      const response = record.snapshot({ status: statusOf(end), end });
      if (log.conversation() !== null) await remember(response);
      sendWhole(res, response);
    },
    fail: () => false,
    extraFields: () => (log.hasActed() ? { x_svc: log.extension() } : {}),
  };
}

export function sendWhole(res: ServerResponse, response: ChatResponse): void {
  const body = JSON.stringify(response);
  res
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(body);
}

/** A response that has ended as its first and its last event, where the others are not stored any more. */
export async function sendStored(outlet: Outlet, response: { status: string }): Promise<void> {
  const { send } = framesTo(outlet);
  const began = { ...response, status: 'in_progress', output: [], usage: null };
  await send('response.created', { response: began });
  await send(`response.${eventOf(response.status)}`, { response });
  outlet.end('');
}

/** OpenAI defines no event for a cancelled response. */
const eventOf = (status: string): string => (status === 'cancelled' ? 'failed' : status);

/** The events of a response as server-sent events, numbered in order. */
function framesTo(outlet: Outlet) {
  let sequence = 0;
  let waiting: object[] = [];
  return {
    /** What the platform does itself goes along with the next event. */
    addExtension(event: object): void {
      waiting.push(event);
    },
    async send(type: string, fields: object): Promise<void> {
      const x_svc = waiting.length > 0 ? { x_svc: waiting } : {};
      const event = { type, sequence_number: sequence, ...fields, ...x_svc };
      waiting = [];
      sequence += 1;
      const frame = `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
      if (!outlet.write(frame)) await outlet.drained();
    },
  };
}

async function sendCall(
  send: Send,
  call: Parameters<typeof callItem>[0],
  output_index: number,
): Promise<void> {
  const item = callItem(call, 'completed');
  const of = { item_id: item.id, output_index };
  const added = { ...callItem({ ...call, arguments: '' }, 'in_progress') };
  const { name, arguments: text } = call;
  await send('response.output_item.added', { output_index, item: added });
  await send('response.function_call_arguments.delta', { ...of, delta: text });
  await send('response.function_call_arguments.done', { ...of, name, arguments: text });
  await send('response.output_item.done', { output_index, item });
}

/**
 * A response as server-sent events. What the platform does itself is in `x_svc` of
 * `response.in_progress`, after the first text in that of the next event: clients of OpenAI refuse types of events that
 * they do not know.
 */
export function responseStreamSink(
  outlet: Outlet,
  head: TurnHead,
  { echo, remember, begun: noteBegin, failed: noteFailure }: Hooks,
): ChatSink {
  const { send, addExtension } = framesTo(outlet);
  const message = messageFrames(send, messageId(head));
  const thoughts = thoughtFrames(send);
  let hasOutput = false;
  const show = async (event: object): Promise<void> => {
    addExtension(event);
    // Its output is empty: after the first item it would take that away.
    if (!hasOutput) await send('response.in_progress', { response });
  };
  const log = eventLog(head, show);
  const record = responseState(head, echo, log);
  const response = record.snapshot({ status: 'in_progress' });
  const open = async (type?: 'refusal'): Promise<void> => {
    hasOutput = true;
    await thoughts.close();
    await message.open(record.begun(), type);
  };
  // A client that reads none of it yet is noticed at the next event.
  const begun = (async () => {
    await send('response.created', { response });
    await show(log.add(startEvent(head)));
  })().catch(() => {});
  return {
    ...log.sink,
    stored() {
      log.sink.stored();
      noteBegin?.(record.snapshot({ status: 'in_progress' }));
    },
    async text(text, logprobs = []) {
      if (text === '' && logprobs.length === 0) return;
      await begun;
      await open();
      record.add(text, logprobs);
      await message.add('output_text', text, { logprobs });
    },
    async refuse(text) {
      await begun;
      await open('refusal');
      record.refuse(text);
      await message.add('refusal', text);
    },
    async reasoning(text) {
      await begun;
      hasOutput = true;
      const thought = record.think(text);
      await thoughts.add(thought, text, record.begun() - 1);
    },
    async cite(citations) {
      const before = log.citations.length;
      await log.sink.cite(citations);
      await message.annotate(citations.map(flatAnnotationOf), before);
    },
    async facts(facts, line) {
      addExtension(log.add({ type: 'facts', ...facts }));
      if (line === '') return;
      await begun;
      await open();
      record.add(line);
      await message.add('output_text', line, { logprobs: [] });
    },
    async calls(calls) {
      record.state.calls = calls;
    },
    async end(end) {
      const { calls } = record.state;
      if (calls.length === 0 && !message.isOpen) await open();
      else await thoughts.close();
      if (message.isOpen) await message.close(record.message());
      hasOutput = true;
      for (const [at, call] of calls.entries()) await sendCall(send, call, record.begun() + at);
      addExtension(log.end(end));
      const status = statusOf(end);
      const whole = record.snapshot({ status, end });
      if (log.conversation() !== null) await remember(whole);
      await send(`response.${status}`, { response: whole });
      outlet.end('');
    },
    fail({ error }) {
      const { code, message: text, param } = error;
      const isStopped = echo.background && code === 'turn_stopped';
      const ended = record.snapshot(
        isStopped
          ? { status: 'cancelled' }
          : { status: 'failed', error: { code: code ?? 'server_error', message: text } },
      );
      const end = (): void => {
        void send('response.failed', { response: ended }).catch(() => {});
        void send('error', { code, message: text, param, error }).catch(() => {});
        outlet.end('');
      };
      if (noteFailure) void noteFailure(ended).finally(end);
      else end();
      return true;
    },
    extraFields: () => ({}),
  };
}
