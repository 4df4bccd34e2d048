import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import {
  bodyOf,
  type End,
  eventsOf,
  type Reading,
  joined,
  finish,
  jsonIn,
  DONE,
  MAX_CALLS,
  saysNothing,
  TokenCount,
} from '../request/answer.ts';
import {
  endOf,
  type ModelDelta,
  REASONING_FIELDS,
  type Say,
  type Usage,
} from '../request/provider.ts';
import { brokeOff, failedInside, isFailure, noAnswer } from '../request/refusal.ts';
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
      // A part that is none says nothing, and the others are the answer.
      z.array(z.union([z.string(), TextPart]).catch('')),
      TextPart.transform((part) => [part]),
    ])
    .nullish()
    .catch(null),
  refusal: z.string().nullish().catch(null),
  reasoning_content: z.string().nullish().catch(null),
  reasoning: z.string().nullish().catch(null),
  tool_calls: z.array(ToolCallPart.nullable().catch(null)).nullish().catch(null),
});

const Count = TokenCount.nullish().catch(null);
const CountOrNone = TokenCount.nullish().transform((count) => count ?? 0);

/** Lax: fields that a vendor omits, misspells or adds must not end a conversation. */
const Answer = z.object({
  choices: z
    .array(
      z
        .object({
          index: z.number().nullish().catch(null),
          delta: Part.nullish().catch(null),
          message: Part.nullish().catch(null),
          finish_reason: z.string().nullish().catch(null),
          logprobs: z
            .object({ content: z.array(z.record(z.string(), z.unknown())).nullish().catch(null) })
            .nullish()
            .catch(null),
        })
        .nullable()
        .catch(null),
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
  const taken = newTaken();
  const { end } = taken;
  let done = false;
  function* read(batch: readonly string[]): Generator<ModelDelta> {
    for (const data of batch) {
      done ||= data.trim() === DONE;
      if (!done) yield* deltasOf(parse(data), taken);
    }
  }
  // Plain texts are those of the first choice.
  const isPlain = (): boolean => reading.isPlain() && (taken.choice ?? 0) === 0;
  const spoken: Say | undefined =
    say &&
    ((text) => {
      taken.choice ??= 0;
      return say(text);
    });
  for await (const batch of eventsOf(response, reading, spoken && saying(spoken, isPlain))) {
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
  const taken = newTaken();
  const texts = await bodyOf(response, reading);
  let hasChoice = false;
  for (const text of texts) {
    if (text.trim() === DONE) break;
    const answer = parse(text);
    hasChoice ||= Boolean(answer.choices?.length);
    yield* deltasOf(answer, taken);
  }
  if (!hasChoice) throw noAnswer(texts.join('\n'));
  yield finish(taken.end);
}

/** What was read of an answer so far; `choice`: the index of the one that is read. */
type Taken = { end: End; calls: ReturnType<typeof newCalls>; choice: number | null };
const newTaken = (): Taken => ({
  end: { reason: null, usage: null },
  calls: newCalls(),
  choice: null,
});

function parse(text: string): z.infer<typeof Answer> {
  const given = jsonIn(text);
  if (saysNothing(given)) return {};
  const content = contentIn(given);
  if (content !== null) return { choices: [{ index: 0, delta: { content } }] };
  const answer = Answer.safeParse(given);
  if (!answer.success) throw isFailure(given) ? failedInside(text) : noAnswer(text);
  const [choice] = answer.data.choices ?? [];
  const hasFailed = endOf(choice?.finish_reason ?? '') === 'failed';
  if (answer.data.error || hasFailed) throw failedInside(text);
  if (!choice && isFailure(given)) throw failedInside(text);
  return answer.data;
}

function* deltasOf(answer: z.infer<typeof Answer>, taken: Taken): Generator<ModelDelta> {
  const { end, calls } = taken;
  if (answer.usage) end.usage = usageOf(answer.usage);
  const choice = choiceIn(answer, taken);
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
  const ended = choice.finish_reason ? endOf(choice.finish_reason) : 'failed';
  if (ended !== 'failed') end.reason = ended;
}

/** One was asked for: of several, the first is the answer, and the others are no part of it. */
function choiceIn({ choices }: z.infer<typeof Answer>, taken: Taken) {
  const all = (choices ?? []).filter((one) => one !== null);
  const choice =
    taken.choice === null
      ? (all.find(({ index }) => index === 0) ?? all[0])
      : all.find(({ index }) => (index ?? taken.choice) === taken.choice);
  taken.choice ??= choice?.index ?? null;
  return choice;
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
  parts: readonly (z.infer<typeof ToolCallPart> | null)[],
  calls: ReturnType<typeof newCalls>,
): Generator<ModelDelta> {
  for (const [position, call] of parts.filter((part) => part !== null).entries()) {
    const { position: index, name } = calls.placeOf(call, position);
    if (index >= MAX_CALLS) continue;
    yield {
      type: 'toolCall',
      index,
      ...(call.id ? { id: call.id } : {}),
      ...(name ? { name } : {}),
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
