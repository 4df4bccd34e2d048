import type { ServerResponse } from 'node:http';

import type { ToolCall } from '../../../providers/provider.ts';
import type { App } from '../../kernel/app/app.ts';
import { usageOf } from '../accounting/usage.ts';
import type { ActionView } from '../action/view.ts';
import { annotationOf, type Citation } from '../session/citation.ts';
import type { ChatCompletion, ChatCompletionChunk, ShownEvent } from './completion.ts';
import type { TurnEnd, TurnEvent } from './loop.ts';
import type { OpenAiError } from './openai-error.ts';
import { type Happened, numbered } from './round/numbered.ts';
import type { Logprobs } from './round/round.ts';
import {
  decidedEvents,
  endEvent,
  isEstimated,
  startEvent,
  storedEvent,
  toolEvent,
  warningEvent,
} from './stream/event.ts';
import type { Outlet } from './stream/outlet.ts';

const DONE = 'data: [DONE]\n\n';

type Choice = ChatCompletionChunk['choices'][number];
export type ToolEvent = Extract<TurnEvent, { type: 'tool.start' | 'tool.end' }>;

export type TurnHead = {
  id: string;
  created: number;
  model: string;
  provider: string;
  conversationId: string;
  /** The conversation is there already, or will be: its id is of use to the client. */
  isKept: boolean;
};

/** Output of a turn: one JSON object or a stream of chunks. */
export type ChatSink = {
  text(text: string, logprobs?: Logprobs): Promise<void> | undefined;
  /** Why the model does not answer in the form asked for. */
  refuse?(text: string): Promise<void>;
  /** What the model reasons before it answers, where its vendor sends it. */
  reasoning?(text: string): Promise<void>;
  /** Calls of the client's tools; the end follows. */
  calls(calls: readonly ToolCall[]): Promise<void>;
  /** The conversation is stored now. */
  stored(): void;
  tool(event: ToolEvent): Promise<void>;
  pending(card: ActionView): Promise<void>;
  /** Of an action that is decided or has ended. */
  decided?(action: ActionView): Promise<void>;
  cite?(citations: readonly Citation[]): Promise<void>;
  /** Reports an option of the request that is ignored, or what the text cannot say; `say` is for people. */
  warn(code: string, say?: string): Promise<void>;
  end(event: TurnEnd): Promise<void>;
  /** Writes the error into the answer; false when no answer has been sent. */
  fail(body: OpenAiError['body']): boolean;
  /** Fields for an error response outside of the answer: the actions proposed before the error. */
  extraFields(): Record<string, unknown>;
};

const wireCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});

/** One `chat.completion` object, written when the turn has ended. */
// oxlint-disable-next-line max-lines-per-function
export function jsonSink(res: ServerResponse, head: TurnHead): ChatSink {
  const extend = numbered();
  const events = [extend(startEvent(head))];
  const cards: ActionView[] = [];
  const warnings: string[] = [];
  const logprobs: Record<string, unknown>[] = [];
  const annotations: ReturnType<typeof annotationOf>[] = [];
  let calls: readonly ToolCall[] = [];
  let content = '';
  let reasoning = '';
  let refusal = '';
  let tools = 0;
  let { isKept } = head;
  const conversation = () => (isKept ? head.conversationId : null);
  const extension = (): ChatCompletion['x_svc'] => ({
    v: 1,
    conversation_id: conversation(),
    events,
    pending_actions: cards,
    warnings,
  });
  return {
    text(text, probabilities = []) {
      content += text;
      logprobs.push(...probabilities);
      return undefined;
    },
    async refuse(text) {
      refusal += text;
    },
    async reasoning(text) {
      reasoning += text;
    },
    async calls(handed) {
      calls = handed;
    },
    stored() {
      isKept = true;
    },
    async tool(event) {
      if (event.type === 'tool.start') tools += 1;
      events.push(extend(toolEvent(event)));
    },
    async pending(card) {
      cards.push(card);
      events.push(extend({ type: 'action.pending', card }));
    },
    async decided(action) {
      events.push(...decidedEvents(action).map(extend));
    },
    async cite(citations) {
      for (const each of citations) {
        annotations.push(annotationOf(each));
        events.push(extend({ type: 'citation', ...each }));
      }
    },
    async warn(code, say) {
      warnings.push(code);
      events.push(extend(warningEvent(code, say)));
    },
    async end(event) {
      events.push(extend(endEvent(event, tools, conversation())));
      const completion: ChatCompletion = {
        id: head.id,
        object: 'chat.completion',
        created: head.created,
        model: head.model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
              refusal: refusal || null,
              ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
              ...(calls.length > 0 ? { tool_calls: calls.map(wireCall) } : {}),
              ...(annotations.length > 0 ? { annotations } : {}),
            },
            logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null,
            finish_reason: event.reason,
          },
        ],
        usage: usageOf(event.steps),
        x_svc: {
          ...extension(),
          ...(isEstimated(event.steps) ? { usage_estimated: true } : {}),
        },
      };
      const body = JSON.stringify(completion);
      res
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
          ...(isKept ? { 'x-conversation-id': encodeURIComponent(head.conversationId) } : {}),
        })
        .end(body);
    },
    fail: () => false,
    extraFields: () => (cards.length > 0 ? { x_svc: extension() } : {}),
  };
}

/**
 * Server-sent chunks: each frame but an error is a valid chunk, extension in top-level `x_svc`, `[DONE]` at the
 * end.
 */
// oxlint-disable-next-line max-lines-per-function
export function streamSink(
  app: App,
  outlet: Outlet,
  head: TurnHead,
  { includeUsage, stored }: { includeUsage: boolean; stored?: 'OK' | 'UNFINISHED' },
): Required<ChatSink> & { stop(): Promise<void> } {
  const extend = numbered();
  let tools = 0;
  let { isKept } = head;

  const { id, created } = head;
  const chunk = (
    delta: Choice['delta'],
    finish: Choice['finish_reason'],
    extra: { x_svc?: ShownEvent; logprobs?: Logprobs | undefined } = {},
  ): ChatCompletionChunk => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model: head.model,
    choices: [
      {
        index: 0,
        delta,
        logprobs: extra.logprobs ? { content: [...extra.logprobs], refusal: null } : null,
        finish_reason: finish,
      },
    ],
    ...(includeUsage ? { usage: null } : {}),
    ...(extra.x_svc ? { x_svc: extra.x_svc } : {}),
  });
  // All chunks of text are alike but for the text: the rest of their JSON is made once.
  const [before, after] = JSON.stringify(chunk({ content: '' }, null)).split('"content":""');
  const send = async (frame: ChatCompletionChunk): Promise<void> => {
    if (!outlet.write(`data: ${JSON.stringify(frame)}\n\n`)) await outlet.drained();
  };
  const extension = (event: Happened) =>
    send(chunk({ content: '' }, null, { x_svc: extend(event) }));
  const done = (last = ''): void => {
    outlet.end(`${last}${DONE}`);
  };
  const begun = stored === undefined ? startEvent(head) : storedEvent(head, stored);
  const first = chunk({ role: 'assistant', content: '' }, null, { x_svc: extend(begun) });
  outlet.write(`data: ${JSON.stringify(first)}\n\n`);

  return {
    text(content, logprobs) {
      if (logprobs !== undefined) return send(chunk({ content }, null, { logprobs }));
      const data = `data: ${before}"content":${JSON.stringify(content)}${after}\n\n`;
      return outlet.write(data) ? undefined : outlet.drained();
    },
    refuse: (text) => send(chunk({ refusal: text }, null)),
    reasoning: (text) => send(chunk({ reasoning_content: text }, null)),
    calls: (handed) =>
      send(
        chunk({ tool_calls: handed.map((call, index) => ({ index, ...wireCall(call) })) }, null),
      ),
    stored() {
      isKept = true;
    },
    async tool(event) {
      if (event.type === 'tool.start') tools += 1;
      await extension(toolEvent(event));
    },
    pending: (card) => extension({ type: 'action.pending', card }),
    async decided(action) {
      for (const event of decidedEvents(action)) await extension(event);
    },
    async cite(citations) {
      for (const each of citations)
        await send(
          chunk({ content: '', annotations: [annotationOf(each)] }, null, {
            x_svc: extend({ type: 'citation', ...each }),
          }),
        );
    },
    warn: (code, say) => extension(warningEvent(code, say)),
    async end(event) {
      const conversation = isKept ? head.conversationId : null;
      const x_svc = extend(endEvent(event, tools, conversation));
      await send(chunk({}, event.reason, { x_svc }));
      // Usage comes in a last chunk of its own, the only one that may have empty choices.
      if (includeUsage) {
        const usage = usageOf(event.steps);
        await send({
          id,
          object: 'chat.completion.chunk',
          created,
          model: head.model,
          choices: [],
          usage,
        });
      }
      done();
    },
    async stop() {
      await send(chunk({}, 'stop'));
      done();
    },
    fail(body) {
      done(`data: ${JSON.stringify(body)}\n\n`);
      return true;
    },
    extraFields: () => ({}),
  };
}
