import type { ServerResponse } from 'node:http';

import type { ToolCall } from '../../../../providers/request/provider.ts';
import { usageOf } from '../../accounting/usage.ts';
import { annotationOf } from '../../session/citation.ts';
import type { Logprobs, TurnEnd, TurnHead } from '../loop/event.ts';
import { type ChatCompletion, wireCall } from './completion.ts';
import { type EventLog, eventLog, isEstimated, startEvent } from './event.ts';
import type { ChatSink } from './sink.ts';

type Message = {
  content: string;
  reasoning: string;
  refusal: string;
  calls: readonly ToolCall[];
  logprobs: Logprobs[number][];
};

/** One `chat.completion` object, written when the turn has ended. */
export function jsonSink(res: ServerResponse, head: TurnHead): ChatSink {
  const log = eventLog(head, async () => {});
  log.add(startEvent(head));
  const message: Message = { content: '', reasoning: '', refusal: '', calls: [], logprobs: [] };
  return {
    ...log.sink,
    text(text, probabilities = []) {
      message.content += text;
      message.logprobs.push(...probabilities);
      return undefined;
    },
    async refuse(text) {
      message.refusal += text;
    },
    async reasoning(text) {
      message.reasoning += text;
    },
    async facts(facts, line) {
      message.content += line;
      log.add({ type: 'facts', ...facts });
    },
    async calls(calls) {
      message.calls = calls;
    },
    async end(end) {
      log.end(end);
      const conversation = log.conversation();
      const body = JSON.stringify(completionOf(head, message, log, end));
      res
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
          ...(conversation === null
            ? {}
            : { 'x-conversation-id': encodeURIComponent(conversation) }),
        })
        .end(body);
    },
    fail: () => false,
    extraFields: () => (log.hasActed() ? { x_svc: log.extension() } : {}),
  };
}

function completionOf(
  head: TurnHead,
  { content, reasoning, refusal, calls, logprobs }: Message,
  log: EventLog,
  { reason, steps }: TurnEnd,
): ChatCompletion {
  const { citations } = log;
  return {
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
          ...(citations.length > 0 ? { annotations: citations.map(annotationOf) } : {}),
        },
        logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null,
        finish_reason: reason,
      },
    ],
    usage: usageOf(steps),
    x_svc: { ...log.extension(), ...(isEstimated(steps) ? { usage_estimated: true } : {}) },
  };
}
