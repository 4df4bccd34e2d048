import type { IncomingMessage } from 'node:http';

import { createParser } from 'eventsource-parser';
import { z } from 'zod';

import { Unavailable } from '../src/core/errors.ts';
import { FINISH_REASONS, type FinishReason, type ModelDelta, type Usage } from './provider.ts';

const MAX_BODY = 8 * 1024 * 1024;
const MAX_EVENT = 1024 * 1024;

const ToolCallPart = z.object({
  index: z.number().int().min(0).max(127).nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: z
    .object({
      name: z.string().nullish().catch(null),
      // Some vendors send the object itself instead of its text.
      arguments: z
        .union([z.string(), z.record(z.string(), z.unknown()).transform((o) => JSON.stringify(o))])
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

const Part = z.object({
  content: z.string().nullish().catch(null),
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(ToolCallPart).nullish().catch(null),
});

/** Lax: what a vendor leaves out, misspells or adds must not end a conversation. */
const Answer = z.object({
  choices: z
    .array(
      z.object({
        delta: Part.nullish().catch(null),
        message: Part.nullish().catch(null),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .nullish()
    .catch(null),
  usage: z
    .object({
      prompt_tokens: z.number().nonnegative().catch(0),
      completion_tokens: z.number().nonnegative().catch(0),
    })
    .nullish()
    .catch(null),
  error: z.unknown().optional(),
});

/** The end of a stream is known only when it has come, so both are gathered until then. */
type End = { reason: FinishReason | null; usage: Usage | null };

/** Reads server-sent chunks; throws `Unavailable` for an in-band error or a stream that breaks off. */
export async function* readStream(
  response: IncomingMessage,
  heard: () => void,
): AsyncGenerator<ModelDelta> {
  const end: End = { reason: null, usage: null };
  let done = false;
  let ready: ModelDelta[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent({ data }) {
      if (done) return;
      if (data.trim() === '[DONE]') done = true;
      else ready.push(...deltasOf(parse(data), end));
    },
    onError(error) {
      if (error.type !== 'unknown-field' && error.type !== 'invalid-retry') {
        throw new Unavailable('The model provider sent an endless event', error);
      }
    },
  });
  let size = 0;
  response.setEncoding('utf8');
  for await (const chunk of response) {
    heard();
    const text = String(chunk);
    size += text.length;
    if (size > MAX_BODY) throw new Unavailable('The model provider sent too much');
    parser.feed(text);
    const batch = ready;
    ready = [];
    yield* batch;
    if (done) break;
  }
  if (!done && end.reason === null) {
    throw new Unavailable('The model provider broke off in the middle of its answer');
  }
  yield finish(end);
}

/** Reads one JSON answer, for vendors that do not stream although they were asked to. */
export async function* readAnswer(
  response: IncomingMessage,
  heard: () => void,
): AsyncGenerator<ModelDelta> {
  let body = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    heard();
    body += String(chunk);
    if (body.length > MAX_BODY) throw new Unavailable('The model provider sent too much');
  }
  const end: End = { reason: null, usage: null };
  yield* deltasOf(parse(body), end);
  yield finish(end);
}

function parse(text: string): z.infer<typeof Answer> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Unavailable('The model provider sent something that is not JSON', error);
  }
  const answer = Answer.safeParse(json);
  if (!answer.success) throw new Unavailable('The model provider sent no answer', answer.error);
  if (answer.data.error) {
    throw new Unavailable('The model provider failed', new Error(text.slice(0, 1_000)));
  }
  return answer.data;
}

function* deltasOf(answer: z.infer<typeof Answer>, end: End): Generator<ModelDelta> {
  if (answer.usage) {
    end.usage = {
      promptTokens: answer.usage.prompt_tokens,
      completionTokens: answer.usage.completion_tokens,
    };
  }
  const choice = answer.choices?.[0];
  if (!choice) return;
  const part = choice.delta ?? choice.message;
  const text = part?.content || part?.refusal;
  if (text) yield { type: 'text', text };
  for (const [position, call] of (part?.tool_calls ?? []).entries()) {
    yield {
      type: 'toolCall',
      index: call.index ?? position,
      ...(call.id ? { id: call.id } : {}),
      ...(call.function?.name ? { name: call.function.name } : {}),
      ...(call.function?.arguments ? { arguments: call.function.arguments } : {}),
    };
  }
  if (choice.finish_reason) end.reason = reasonOf(choice.finish_reason);
}

const reasonOf = (given: string): FinishReason =>
  FINISH_REASONS.find((reason) => reason === given) ??
  (given === 'function_call' ? 'tool_calls' : 'stop');

const finish = ({ reason, usage }: End): ModelDelta => ({
  type: 'finish',
  reason: reason ?? 'stop',
  ...(usage ? { usage } : {}),
});
