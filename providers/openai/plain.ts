import type { Taker } from '../request/answer.ts';
import { REASONING_FIELDS, type Say } from '../request/provider.ts';

const PLAIN = new Set<string>(['content', 'role', 'refusal', ...REASONING_FIELDS]);
const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The text of a chunk that has nothing else to say, as nearly all of them; null for any other. */
export function contentIn(given: unknown): string | null {
  if (!isObject(given) || isSet(given['error']) || isSet(given['usage'])) return null;
  const choices = given['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : null;
  if (!isObject(choice) || isSet(choice['finish_reason']) || isSet(choice['logprobs'])) return null;
  // Another choice is another answer.
  if (isSet(choice['index']) && choice['index'] !== 0) return null;
  const delta = choice['delta'];
  if (!isObject(delta) || typeof delta['content'] !== 'string') return null;
  for (const key in delta) if (!PLAIN.has(key)) return null;
  if (REASONING_FIELDS.some((field) => isSet(delta[field]) && delta[field] !== '')) return null;
  return isSet(delta['refusal']) ? null : delta['content'];
}

/** Takes the events that are text and nothing else, once texts may be said, and says what they say together. */
export function saying(say: Say, isPlain: () => boolean = () => true): Taker {
  const plainText = plainTexts();
  let taken = '';
  return {
    take(data) {
      const text = isPlain() ? plainText(data) : null;
      if (text === null) return false;
      taken += text;
      return true;
    },
    handOn() {
      if (taken === '') return undefined;
      const text = taken;
      taken = '';
      return say(text);
    },
  };
}

const BEFORE = '"content":"';
/** A text of no model. */
const PROBE = '\u0001';
/** After so many chunks that differ in more than their text, each is read as a whole. */
const MAX_OTHERS = 4;

/**
 * Reads the text of events that have nothing else to say; null for any other, and for what is no JSON. Most chunks of an
 * answer differ in that text alone: where all around it is as in the chunk before, only the text is parsed, as one
 * string, beside which nothing else can be new.
 */
function plainTexts(): (data: string) => string | null {
  let before = '';
  let after = '';
  let others = 0;

  function whole(data: string): string | null {
    const text = read(data);
    if (text !== null && others < MAX_OTHERS) remember(data, text);
    return text;
  }

  /** Only where the text of the chunk is the one in this place. */
  function remember(data: string, text: string): void {
    others += 1;
    const begins = data.indexOf(BEFORE) + BEFORE.length;
    const literal = JSON.stringify(text).slice(1, -1);
    const head = data.slice(0, begins);
    const tail = data.slice(begins + literal.length);
    if (!data.startsWith(literal, begins) || !tail.startsWith('"')) return;
    if (read(`${head}${JSON.stringify(PROBE).slice(1, -1)}${tail}`) !== PROBE) return;
    before = head;
    after = tail;
  }

  return (data) => {
    if (!data.startsWith('{')) return null;
    if (before === '' || !data.startsWith(before) || !data.endsWith(after)) return whole(data);
    const text = stringIn(data.slice(before.length - 1, data.length - after.length + 1));
    if (text === null) return whole(data);
    others = 0;
    return text;
  };
}

function read(data: string): string | null {
  try {
    return contentIn(JSON.parse(data));
  } catch {
    return null;
  }
}

function stringIn(literal: string): string | null {
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
