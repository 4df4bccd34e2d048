import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import {
  bodyOf,
  brokeOff,
  type End,
  eventsOf,
  type Reading,
  joined,
  failedInside,
  finish,
  jsonIn,
  MAX_CALLS,
  noAnswer,
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
import { newCalls, ToolCallPart } from './calls.ts';
import { contentIn, saying } from './plain.ts';

const TextPart = z.object({
  type: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  // Mistral's reasoning models send the texts of a thought as a list.
  thinking: z
    .union([z.string(), z.array(z.object({ text: z.string() }).catch({ text: '' }))])
    .nullish()
    .catch(null),
});

const Part = z.object({
  content: z
    .union([
      z.string(),
      z.array(z.union([z.string(), TextPart])),
      TextPart.transform((part) => [part]),
    ])
    .nullish()
    .catch(null),
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
  reading: Reading,
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
  for await (const batch of eventsOf(response, reading, say && saying(say, reading.isPlain))) {
    yield* joined(read(batch));
    if (done || end.reason !== null) reading.complete();
    if (done) break;
  }
  if (!done && end.reason === null) throw brokeOff();
  yield finish(end);
}

/** Reads one JSON answer. */
export async function* readAnswer(
  response: IncomingMessage,
  reading: Reading,
): AsyncGenerator<ModelDelta> {
  const end: End = { reason: null, usage: null };
  const calls = newCalls();
  const texts = await bodyOf(response, reading);
  let hasChoice = false;
  for (const text of texts) {
    if (text.trim() === '[DONE]') break;
    const answer = parse(text);
    hasChoice ||= Boolean(answer.choices?.length);
    yield* deltasOf(answer, end, calls);
  }
  if (!hasChoice) throw noAnswer(texts.join('\n'));
  yield finish(end);
}

function parse(text: string): z.infer<typeof Answer> {
  const given = jsonIn(text);
  const content = contentIn(given);
  if (content !== null) return { choices: [{ delta: { content } }] };
  const answer = Answer.safeParse(given);
  if (!answer.success) throw noAnswer(text);
  const [choice] = answer.data.choices ?? [];
  if (answer.data.error || choice?.finish_reason === 'error') throw failedInside(text);
  if (!choice && Failure.safeParse(given).success) throw failedInside(text);
  return answer.data;
}

/** How vendors say under status 200 that they have failed, beside a field `error`. */
const Failure = z.union([
  z.object({ object: z.literal('error') }),
  z.object({ type: z.literal('error') }),
  z.object({ success: z.literal(false) }),
  z.object({ code: z.coerce.number().min(400) }),
  z.object({ status_code: z.number().min(400) }),
  z.object({ status: z.number().min(400) }),
  z.object({ base_resp: z.object({ status_code: z.number().refine((code) => code !== 0) }) }),
  z.object({ detail: z.string().min(1) }),
  z.object({ message: z.string().min(1) }),
  z.object({ msg: z.string().min(1) }),
]);

function* deltasOf(
  answer: z.infer<typeof Answer>,
  end: End,
  calls: ReturnType<typeof newCalls>,
): Generator<ModelDelta> {
  if (answer.usage) end.usage = usageOf(answer.usage);
  const choice = answer.choices?.[0];
  if (!choice) return;
  const part = choice.delta ?? choice.message;
  const content = contentOf(part?.content);
  const text = content || part?.refusal;
  const logprobs = choice.logprobs?.content;
  yield* reasoningOf(part, Boolean(text));
  const thought = thoughtOf(part?.content);
  if (thought !== '') yield { type: 'reasoning', text: thought };
  const isRefusal = !content;
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

type Given = z.infer<typeof Part>['content'];

/** The texts of a content; of parts, those that are the answer. */
const contentOf = (given: Given): string =>
  typeof given === 'string'
    ? given
    : (given ?? []).map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join('');

const thoughtOf = (given: Given): string =>
  typeof given === 'string'
    ? ''
    : (given ?? [])
        .map((part) => {
          const thinking = typeof part === 'string' ? '' : (part.thinking ?? '');
          return typeof thinking === 'string'
            ? thinking
            : thinking.map(({ text }) => text).join('');
        })
        .join('');

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

const reasonOf = (given: string): FinishReason =>
  FINISH_REASONS.find((reason) => reason === given) ??
  (given === 'function_call' ? 'tool_calls' : 'stop');
