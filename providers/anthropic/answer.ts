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
import { endOf, type ModelDelta } from '../request/provider.ts';
import { brokeOff, failedInside, isFailure, noAnswer } from '../request/refusal.ts';
import { newThinking } from './thinking.ts';

/** Lax: fields that a vendor omits, misspells or adds must not end a conversation. */
const lax = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
const LaxText = lax(z.string());
const Count = lax(TokenCount);
const Counts = lax(
  z.object({
    input_tokens: Count,
    output_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
  }),
);
const Block = z.object({
  type: LaxText,
  id: LaxText,
  name: LaxText,
  text: LaxText,
  thinking: LaxText,
  signature: LaxText,
  data: LaxText,
  input: z.unknown().optional(),
});
const Stop = { stop_reason: LaxText, stop_details: lax(z.object({ explanation: LaxText })) };
const ofText = (part: unknown): unknown =>
  typeof part === 'string' ? { type: 'text', text: part } : part;
/** A text or a part alone is a list of one; a part that is none says nothing. */
const Blocks = z.preprocess(
  (given) => (Array.isArray(given) ? given : [given]).map(ofText),
  z.array(Block.nullable().catch(null)).transform((parts) => parts.filter((part) => part !== null)),
);
const Message = z.object({ content: Blocks, usage: Counts, ...Stop });
const Event = z.object({
  type: LaxText,
  index: lax(z.number().int().min(0).max(1_000)),
  message: lax(Message),
  content_block: lax(Block),
  delta: lax(
    z.object({
      text: LaxText,
      partial_json: LaxText,
      thinking: LaxText,
      signature: LaxText,
      ...Stop,
    }),
  ),
  usage: Counts,
  error: z.unknown().optional(),
});

/** Reads the events of a message; throws `Unavailable` for an error event or a stream that breaks off. */
export async function* readMessageStream(
  response: IncomingMessage,
  reading: Reading,
): AsyncGenerator<ModelDelta> {
  const answer = newAnswer();
  let done = false;
  function* read(batch: readonly string[]): Generator<ModelDelta> {
    for (const data of batch) {
      done ||= data.trim() === DONE;
      if (!done) yield* eventOf(answer, data);
      done ||= answer.ended;
    }
  }
  for await (const batch of eventsOf(response, reading)) {
    yield* joined(read(batch));
    if (done || answer.end.reason !== null) reading.complete();
    if (done) break;
  }
  if (!done && answer.end.reason === null) throw answer.hasBegun() ? brokeOff() : noAnswer('');
  yield* answer.rest();
}

/** Reads one whole message; its events, where a vendor sends them all the same. */
export async function* readMessage(
  response: IncomingMessage,
  reading: Reading,
): AsyncGenerator<ModelDelta> {
  const answer = newAnswer();
  const texts = await bodyOf(response, reading);
  for (const text of texts.filter((one) => one.trim() !== DONE))
    yield* texts.length === 1 ? wholeOf(answer, text) : eventOf(answer, text);
  if (answer.end.reason === null && !answer.hasBegun()) throw noAnswer(texts.join('\n'));
  yield* answer.rest();
}

function* eventOf(answer: NewAnswer, data: string): Generator<ModelDelta> {
  if (saysNothing(jsonIn(data))) return;
  const event = parse(Event, data);
  // A message in one piece, although events were asked for.
  yield* event.type === 'message' ? wholeOf(answer, data) : answer.take(event);
}

function* wholeOf(answer: NewAnswer, text: string): Generator<ModelDelta> {
  const message = parse(Message.extend({ error: z.unknown().optional() }), text);
  // Before half of it is said.
  if (endOf(message.stop_reason ?? '') === 'failed') throw failedInside(text);
  for (const [index, content_block] of message.content.entries()) {
    yield* answer.begin(index, content_block);
  }
  yield* answer.stop(message);
  answer.count(message.usage);
  answer.ended = true;
}

function parse<S extends z.ZodType<{ error?: unknown }>>(schema: S, text: string): z.output<S> {
  const given = jsonIn(text);
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw isFailure(given) ? failedInside(text) : noAnswer(text);
  if (parsed.data.error || (!hasType(given) && isFailure(given))) throw failedInside(text);
  return parsed.data;
}

/** Every event and message of the dialect has one. */
const hasType = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'type' in given && given.type !== 'error';

type NewAnswer = ReturnType<typeof newAnswer>;
type Call = { position: number; whole: string; hasFragments: boolean };

/** State of an answer while it is read: citations and unknown parts are skipped. */
function newAnswer() {
  const end: End = { reason: null, usage: null };
  const counts = { input: 0, created: 0, read: 0, output: 0 };
  const calls = new Map<number, Call>();
  const thoughts = newThinking();
  let begun = 0;
  let hasText = false;
  let hasBlocks = false;
  const answer = {
    end,
    ended: false,
    hasBegun: (): boolean => hasBlocks,
    *take(event: z.infer<typeof Event>): Generator<ModelDelta> {
      const { type, delta, content_block } = event;
      const index = event.index ?? 0;
      if (type === 'message_start') answer.count(event.message?.usage);
      if (type === 'content_block_start' && content_block)
        yield* answer.begin(index, content_block);
      if (type === 'content_block_delta' && delta) {
        if (delta.text) yield textDelta(delta.text);
        thoughts.add(index, delta);
        if (delta.thinking) yield { type: 'reasoning', text: delta.thinking };
        const call = calls.get(index);
        if (call && delta.partial_json) {
          call.hasFragments = true;
          yield { type: 'toolCall', index: call.position, arguments: delta.partial_json };
        }
      }
      if (type === 'content_block_stop') yield* complete(index);
      if (type === 'message_delta') {
        answer.count(event.usage);
        if (delta) yield* answer.stop(delta);
      }
      answer.ended ||= type === 'message_stop';
    },
    *begin(index: number, block: z.infer<typeof Block>): Generator<ModelDelta> {
      hasBlocks = true;
      if (block.type === 'text' && block.text) yield textDelta(block.text);
      thoughts.begin(index, block);
      if (block.type === 'thinking' && block.thinking)
        yield { type: 'reasoning', text: block.thinking };
      if (block.type !== 'tool_use') return;
      // Some vendors repeat an index: a new call at an index ends the previous call there.
      yield* complete(index);
      calls.delete(index);
      if (begun >= MAX_CALLS) return;
      const position = begun;
      begun += 1;
      calls.set(index, { position, whole: textOf(block.input), hasFragments: false });
      yield {
        type: 'toolCall',
        index: position,
        ...(block.id ? { id: block.id } : {}),
        ...(block.name ? { name: block.name } : {}),
        ...thoughts.taken(),
      };
    },
    *stop(given: z.infer<z.ZodObject<typeof Stop>>): Generator<ModelDelta> {
      const { stop_reason: reason, stop_details: details } = given;
      if (!reason) return;
      const ended = endOf(reason);
      if (ended === 'failed') throw failedInside(JSON.stringify({ stop_reason: reason }));
      end.reason = ended;
      // A refusal without text would be an empty answer, so its explanation is used.
      if (reason === 'refusal' && !hasText && details?.explanation)
        yield textDelta(details.explanation);
    },
    /** Counts are cumulative; a count that an event leaves out keeps its value. */
    count(given: z.infer<typeof Counts>): void {
      if (!given) return;
      counts.input = given.input_tokens ?? counts.input;
      counts.created = given.cache_creation_input_tokens ?? counts.created;
      counts.read = given.cache_read_input_tokens ?? counts.read;
      counts.output = given.output_tokens ?? counts.output;
      end.usage = {
        promptTokens: counts.input + counts.created + counts.read,
        completionTokens: counts.output,
        ...(counts.read > 0 ? { cachedTokens: counts.read } : {}),
      };
    },
    *rest(): Generator<ModelDelta> {
      for (const index of calls.keys()) yield* complete(index);
      yield finish(end);
    },
  };
  const textDelta = (text: string): ModelDelta => {
    hasText = true;
    return { type: 'text', text };
  };
  /** Arguments that did not come in fragments came whole with the block, or there are none. */
  function* complete(index: number): Generator<ModelDelta> {
    const call = calls.get(index);
    if (!call || call.hasFragments) return;
    call.hasFragments = true;
    yield { type: 'toolCall', index: call.position, arguments: call.whole };
  }
  return answer;
}

const textOf = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? {});
