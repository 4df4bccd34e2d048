import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import { Unavailable } from '../../src/kernel/errors.ts';
import {
  bodyOf,
  brokeOff,
  type End,
  eventsOf,
  joined,
  failedInside,
  finish,
  jsonIn,
  MAX_CALLS,
  TokenCount,
} from '../request/answer.ts';
import {
  FINISH_REASONS,
  type FinishReason,
  type ModelDelta,
  REASONING_FIELDS,
  type Say,
  type Usage,
} from '../request/provider.ts';
import { contentIn, saying } from './plain.ts';

/** Of one call, as JSON; longer ones are left out, as a part of it is of no use. */
const MAX_EXTRA = 32_768;

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
  extra_content: z
    .record(z.string(), z.unknown())
    .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA)
    .nullish()
    .catch(null),
});

const Part = z.object({
  content: z.string().nullish().catch(null),
  refusal: z.string().nullish().catch(null),
  reasoning_content: z.string().nullish().catch(null),
  reasoning: z.string().nullish().catch(null),
  tool_calls: z.array(ToolCallPart).nullish().catch(null),
});

const Count = TokenCount.nullish().catch(null);
const CountOrNone = TokenCount.nullish().transform((count) => count ?? 0);

/** Lax: fields that a vendor omits, misspells or adds must not end a conversation. */
const Answer = z.object({
  choices: z
    .array(
      z.object({
        delta: Part.nullish().catch(null),
        message: Part.nullish().catch(null),
        finish_reason: z.string().nullish().catch(null),
        logprobs: z
          .object({ content: z.array(z.record(z.string(), z.unknown())).nullish().catch(null) })
          .nullish()
          .catch(null),
      }),
    )
    .nullish()
    .catch(null),
  usage: z
    .object({
      prompt_tokens: CountOrNone,
      completion_tokens: CountOrNone,
      prompt_tokens_details: z.object({ cached_tokens: Count }).nullish().catch(null),
      completion_tokens_details: z.object({ reasoning_tokens: Count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  error: z.unknown().optional(),
});

/** Reads server-sent chunks; throws `Unavailable` for an in-band error or a stream that breaks off. */
export async function* readStream(
  response: IncomingMessage,
  received: () => void,
  say?: Say,
): AsyncGenerator<ModelDelta> {
  const end: End = { reason: null, usage: null };
  const calls = newCalls();
  let done = false;
  function* read(batch: readonly string[]): Generator<ModelDelta> {
    for (const data of batch) {
      done ||= data.trim() === '[DONE]';
      if (!done) yield* deltasOf(parse(data), end, calls);
    }
  }
  for await (const batch of eventsOf(response, received, say && saying(say))) {
    yield* joined(read(batch));
    if (done) break;
  }
  if (!done && end.reason === null) throw brokeOff();
  yield finish(end);
}

/** Reads one JSON answer. */
export async function* readAnswer(
  response: IncomingMessage,
  received: () => void,
): AsyncGenerator<ModelDelta> {
  const end: End = { reason: null, usage: null };
  yield* deltasOf(parse(await bodyOf(response, received)), end, newCalls());
  yield finish(end);
}

function parse(text: string): z.infer<typeof Answer> {
  const given = jsonIn(text);
  const content = contentIn(given);
  if (content !== null) return { choices: [{ delta: { content } }] };
  const answer = Answer.safeParse(given);
  if (!answer.success) throw new Unavailable('The model provider sent no answer', answer.error);
  if (answer.data.error) throw failedInside(text);
  return answer.data;
}

function* deltasOf(
  answer: z.infer<typeof Answer>,
  end: End,
  calls: ReturnType<typeof newCalls>,
): Generator<ModelDelta> {
  if (answer.usage) end.usage = usageOf(answer.usage);
  const choice = answer.choices?.[0];
  if (!choice) return;
  const part = choice.delta ?? choice.message;
  const text = part?.content || part?.refusal;
  const logprobs = choice.logprobs?.content;
  yield* reasoningOf(part, Boolean(text));
  const isRefusal = !part?.content;
  if (text)
    yield {
      type: 'text',
      text,
      ...(logprobs?.length ? { logprobs } : {}),
      ...(isRefusal ? { isRefusal } : {}),
    };
  yield* callsOf(part?.tool_calls ?? [], calls);
  if (choice.finish_reason) end.reason = reasonOf(choice.finish_reason);
}

function usageOf(given: NonNullable<z.infer<typeof Answer>['usage']>): Usage {
  const cachedTokens = given.prompt_tokens_details?.cached_tokens;
  const reasoningTokens = given.completion_tokens_details?.reasoning_tokens;
  return {
    promptTokens: given.prompt_tokens,
    completionTokens: given.completion_tokens,
    ...(cachedTokens ? { cachedTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

function* callsOf(
  parts: readonly z.infer<typeof ToolCallPart>[],
  calls: ReturnType<typeof newCalls>,
): Generator<ModelDelta> {
  for (const [position, call] of parts.entries()) {
    const index = calls.positionOf(call, position);
    if (index >= MAX_CALLS) continue;
    yield {
      type: 'toolCall',
      index,
      ...(call.id ? { id: call.id } : {}),
      ...(call.function?.name ? { name: call.function.name } : {}),
      ...(call.function?.arguments ? { arguments: call.function.arguments } : {}),
      ...(call.extra_content ? { extra: call.extra_content } : {}),
    };
  }
}

/** Some vendors send both names, and many an empty text beside each text of the answer. */
function* reasoningOf(
  part: z.infer<typeof Part> | null | undefined,
  hasText: boolean,
): Generator<ModelDelta> {
  const given = REASONING_FIELDS.map((field) => ({ field, text: part?.[field] }));
  const { field, text } =
    given.find((one) => one.text) ?? given.find((one) => one.text === '') ?? {};
  if (field && typeof text === 'string' && (text !== '' || !hasText))
    yield { type: 'reasoning', field, text };
}

/**
 * Finds the call that a part belongs to. Some vendors give every call the index 0, or none: a name with a
 * new id begins another call there. A fragment with a new id but no name continues the last call.
 */
function newCalls() {
  const last = new Map<number, { position: number; ids: Map<string, number> }>();
  let count = 0;
  return {
    positionOf({ index, id, function: given }: z.infer<typeof ToolCallPart>, at: number): number {
      const slot = last.get(index ?? at) ?? { position: count++, ids: new Map() };
      last.set(index ?? at, slot);
      if (id) {
        const isOther = slot.ids.size > 0 && !slot.ids.has(id) && Boolean(given?.name);
        if (isOther) slot.position = count++;
        slot.position = slot.ids.get(id) ?? slot.position;
        slot.ids.set(id, slot.position);
      }
      return slot.position;
    },
  };
}

const reasonOf = (given: string): FinishReason =>
  FINISH_REASONS.find((reason) => reason === given) ??
  (given === 'function_call' ? 'tool_calls' : 'stop');
