import type { ServerResponse } from 'node:http';

import type { App } from '../../kernel/app/app.ts';
import type { ActionView } from '../action/view.ts';
import type { ChatSink, TurnHead } from '../chat/answer.ts';
import { numbered } from '../chat/round/numbered.ts';
import {
  decidedEvents,
  endEvent,
  startEvent,
  toolEvent,
  warningEvent,
} from '../chat/stream/event.ts';
import { directOutlet } from '../chat/stream/outlet.ts';
import { flatAnnotationOf } from '../session/citation.ts';
import { type Recorder, recorder, responseId, messageId, statusOf } from './recorder.ts';
import type { Echo } from './request.ts';
import { callItem, messageItem } from './response.ts';

type Hooks = {
  echo: Echo;
  /** Called before the end of a response that belongs to a stored conversation. */
  remember(id: string): Promise<void>;
};

/** What both forms record alike: the events of the platform and the cards of proposals. */
function recording(record: Recorder, head: TurnHead, shown: (event: object) => Promise<void>) {
  const extend = numbered();
  let tools = 0;
  const note = async (event: Parameters<typeof extend>[0]): Promise<void> => {
    const happened = extend(event);
    record.events.push(happened);
    await shown(happened);
  };
  return {
    begin: () => note(startEvent(head)),
    stored(): void {
      record.state.isKept = true;
    },
    async tool(event: Parameters<ChatSink['tool']>[0]): Promise<void> {
      if (event.type === 'tool.start') tools += 1;
      await note(toolEvent(event));
    },
    async cite(citations: Parameters<NonNullable<ChatSink['cite']>>[0]): Promise<void> {
      for (const each of citations) {
        record.annotations.push(flatAnnotationOf(each));
        await note({ type: 'citation', ...each });
      }
    },
    async pending(card: Parameters<ChatSink['pending']>[0]): Promise<void> {
      record.cards.push(card);
      await note({ type: 'action.pending', card });
    },
    async decided(action: ActionView): Promise<void> {
      for (const event of decidedEvents(action)) await note(event);
    },
    async warn(code: string, say?: string): Promise<void> {
      record.warnings.push(code);
      await note(warningEvent(code, say));
    },
    finish: (end: Parameters<ChatSink['end']>[0]) =>
      note(endEvent(end, tools, record.conversation())),
  };
}

const NOTHING = { text: '', annotations: [], logprobs: [] };

/** One `response` object, written when the turn has ended. */
export function responseSink(
  res: ServerResponse,
  head: TurnHead,
  { echo, remember }: Hooks,
): ChatSink {
  const record = recorder(head, echo);
  const { begin, finish, ...noted } = recording(record, head, async () => {});
  void begin();
  return {
    ...noted,
    text(text, logprobs) {
      record.add(text, logprobs);
      return undefined;
    },
    async calls(calls) {
      record.state.calls = calls;
    },
    async end(end) {
      await finish(end);
      if (record.state.isKept) await remember(responseId(head));
      const body = JSON.stringify(record.snapshot({ status: statusOf(end), end }));
      res
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
        })
        .end(body);
    },
    fail: () => false,
    extraFields: () =>
      record.cards.length > 0 ? { x_svc: record.snapshot({ status: 'failed' }).x_svc } : {},
  };
}

/**
 * The events of a response as server-sent events, numbered in order. What the platform does itself is in `x_svc` of
 * `response.in_progress`, after the first text in that of the next event: clients of OpenAI refuse types of events that
 * they do not know.
 */
// oxlint-disable-next-line max-lines-per-function
export function responseStreamSink(
  app: App,
  res: ServerResponse,
  head: TurnHead,
  { echo, remember, signal }: Hooks & { signal: AbortSignal },
): ChatSink {
  const record = recorder(head, echo);
  const outlet = directOutlet(app, res, null, signal);
  const response = record.snapshot({ status: 'in_progress' });
  let sequence = 0;
  let hasMessage = false;
  let hasOutput = false;
  let waiting: object[] = [];
  const send = async (type: string, fields: object): Promise<void> => {
    const x_svc = waiting.length > 0 ? { x_svc: waiting } : {};
    const event = { type, sequence_number: sequence, ...fields, ...x_svc };
    waiting = [];
    sequence += 1;
    if (!outlet.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`)) await outlet.drained();
  };
  const { begin, finish, ...noted } = recording(record, head, async (shown) => {
    waiting.push(shown);
    // Its output is empty: after the first item it would take that away.
    if (!hasOutput) await send('response.in_progress', { response });
  });
  const item_id = messageId(head);
  const place = { item_id, output_index: 0, content_index: 0 };
  const open = async (): Promise<void> => {
    if (hasMessage) return;
    hasMessage = true;
    hasOutput = true;
    const item = { ...messageItem(item_id, NOTHING, 'in_progress'), content: [] };
    await send('response.output_item.added', { output_index: 0, item });
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    await send('response.content_part.added', { ...place, part });
  };
  const close = async (): Promise<void> => {
    if (!hasMessage && record.state.calls.length > 0) return;
    await open();
    const item = record.message();
    const [part] = item.type === 'message' ? item.content : [];
    await send('response.output_text.done', {
      ...place,
      text: part?.text,
      logprobs: part?.logprobs,
    });
    await send('response.content_part.done', { ...place, part });
    await send('response.output_item.done', { output_index: 0, item });
  };
  // A client that reads none of it yet is noticed at the next event.
  const begun = (async () => {
    await send('response.created', { response });
    await begin();
  })().catch(() => {});
  return {
    ...noted,
    async text(text, logprobs = []) {
      await begun;
      await open();
      record.add(text, logprobs);
      await send('response.output_text.delta', { ...place, delta: text, logprobs });
    },
    async cite(citations) {
      const before = record.annotations.length;
      await noted.cite(citations);
      for (const [at, annotation] of record.annotations.slice(before).entries())
        await send('response.output_text.annotation.added', {
          ...place,
          annotation_index: before + at,
          annotation,
        });
    },
    async calls(calls) {
      record.state.calls = calls;
    },
    async end(end) {
      await close();
      hasOutput = true;
      const { calls } = record.state;
      for (const [at, call] of calls.entries()) {
        const output_index = at + (hasMessage ? 1 : 0);
        const item = callItem(call, 'completed');
        const of = { item_id: item.id, output_index };
        const added = { ...callItem({ ...call, arguments: '' }, 'in_progress') };
        await send('response.output_item.added', { output_index, item: added });
        await send('response.function_call_arguments.delta', { ...of, delta: call.arguments });
        await send('response.function_call_arguments.done', {
          ...of,
          name: call.name,
          arguments: call.arguments,
        });
        await send('response.output_item.done', { output_index, item });
      }
      await finish(end);
      if (record.state.isKept) await remember(responseId(head));
      const status = statusOf(end);
      await send(`response.${status}`, { response: record.snapshot({ status, end }) });
      outlet.end('');
    },
    fail({ error }) {
      const { code, message, param } = error;
      const failed = { code: code ?? 'server_error', message };
      const ended = { response: record.snapshot({ status: 'failed', error: failed }) };
      void send('response.failed', ended).catch(() => {});
      void send('error', { code, message, param, error }).catch(() => {});
      outlet.end('');
      return true;
    },
    extraFields: () => ({}),
  };
}
