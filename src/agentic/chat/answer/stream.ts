import { usageOf } from '../../accounting/usage.ts';
import { annotationOf } from '../../session/citation.ts';
import type { Logprobs, TurnEnd, TurnHead } from '../loop/event.ts';
import { type ChatCompletionChunk, type ChatEvent, wireCall } from './completion.ts';
import { eventLog, startEvent, storedEvent } from './event.ts';
import type { Outlet } from './outlet.ts';
import type { ChatSink } from './sink.ts';

const DONE = 'data: [DONE]\n\n';

type Choice = ChatCompletionChunk['choices'][number];

/**
 * Server-sent chunks: each frame but an error is a valid chunk, extension in top-level `x_svc`, `[DONE]` at the
 * end.
 */
export function streamSink(
  outlet: Outlet,
  head: TurnHead,
  { includeUsage, stored }: { includeUsage: boolean; stored?: 'OK' | 'UNFINISHED' },
): Required<ChatSink> & { stop(): Promise<void> } {
  const { chunk, textChunk, usageChunk } = chunksOf(head, includeUsage);
  const send = async (frame: ChatCompletionChunk): Promise<void> => {
    if (!outlet.write(`data: ${JSON.stringify(frame)}\n\n`)) await outlet.drained();
  };
  const log = eventLog(head, (event) => send(chunk(deltaOf(event), null, { x_svc: event })));
  const done = (last = ''): void => {
    outlet.end(`${last}${DONE}`);
  };
  const begun = log.add(stored === undefined ? startEvent(head) : storedEvent(head, stored));
  const first = chunk({ role: 'assistant', content: '' }, null, { x_svc: begun });
  outlet.write(`data: ${JSON.stringify(first)}\n\n`);

  return {
    ...log.sink,
    text(content, logprobs) {
      if (logprobs !== undefined) return send(chunk({ content }, null, { logprobs }));
      return outlet.write(`data: ${textChunk(content)}\n\n`) ? undefined : outlet.drained();
    },
    refuse: (text) => send(chunk({ refusal: text }, null)),
    reasoning: (text) => send(chunk({ reasoning_content: text }, null)),
    facts: (facts, line) =>
      send(chunk({ content: line }, null, { x_svc: log.add({ type: 'facts', ...facts }) })),
    calls: (calls) =>
      send(chunk({ tool_calls: calls.map((call, index) => ({ index, ...wireCall(call) })) }, null)),
    async end(end) {
      await send(chunk({}, end.reason, { x_svc: log.end(end) }));
      if (includeUsage) await send(usageChunk(end));
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

const deltaOf = (event: ChatEvent): Choice['delta'] => ({
  content: '',
  ...(event.type === 'citation' ? { annotations: [annotationOf(event)] } : {}),
});

/** The chunks of one turn. */
function chunksOf(head: TurnHead, includeUsage: boolean) {
  const { id, created } = head;
  const chunk = (
    delta: Choice['delta'],
    finish: Choice['finish_reason'],
    extra: { x_svc?: ChatEvent; logprobs?: Logprobs | undefined } = {},
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
  return {
    chunk,
    textChunk: (text: string): string => `${before}"content":${JSON.stringify(text)}${after}`,
    /** The usage is the last chunk, and alone in it: no other chunk may have empty choices. */
    usageChunk: ({ steps }: TurnEnd): ChatCompletionChunk => ({
      id,
      object: 'chat.completion.chunk',
      created,
      model: head.model,
      choices: [],
      usage: usageOf(steps),
    }),
  };
}
