/** Keys and indexes from the whole message to a part of it; none of them for `$`. */
export type JsonPath = readonly (string | number)[];

/** A number as the message spells it: what JavaScript makes of it has 53 bits only. */
class Numeral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
const MAX_STEPS = 32;

/** Parses `$`, `$.a.b`, `$.a[0]` and `$['a b']` (the plain paths of RFC 9535); null for other text. */
export function jsonPath(text: string): JsonPath | null {
  if (!text.startsWith('$')) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text);
    if (!found || steps.length >= MAX_STEPS) return null;
    const [, name, index, single, double] = found;
    steps.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
  }
  return steps;
}

/** Parses JSON with each number as its text; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? new Numeral(context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

/** The part of a message at a path; undefined where it has none. */
export function at(message: unknown, path: JsonPath): unknown {
  let part = message;
  for (const step of path) {
    if (typeof part !== 'object' || part === null || part instanceof Numeral) return undefined;
    if (!Object.hasOwn(part, step)) return undefined;
    part = Reflect.get(part, step);
  }
  return part;
}

/** The text of a string, number or boolean; null for all else. */
export function textOf(part: unknown): string | null {
  if (typeof part === 'string') return part;
  if (part instanceof Numeral) return part.text;
  return typeof part === 'boolean' ? String(part) : null;
}

/** The texts of a device for true and false, as the platform spells them. */
export function spelled(
  text: string,
  { trueText, falseText }: { trueText: string; falseText: string },
): string {
  const word = text.trim();
  if (trueText !== '' && word === trueText) return 'true';
  return falseText !== '' && word === falseText ? 'false' : text;
}

/** The names of an object's members; null for all else. */
export const membersOf = (part: unknown): string[] | null =>
  typeof part === 'object' && part !== null && !Array.isArray(part) && !(part instanceof Numeral)
    ? Object.keys(part)
    : null;

/**
 * The texts in a message by name: the members of the object at the path, or its one `value`. What is no JSON is the
 * `value` itself, and empty where there is none.
 */
export function textsIn(message: string, path: JsonPath): Record<string, string> {
  const whole = parseJson(message);
  if (whole === undefined) return message === '' ? {} : { value: message };
  const part = at(whole, path);
  const names = membersOf(part);
  let plain: unknown;
  const textAt = (place: JsonPath): string | null => {
    const found = at(whole, place);
    if (found === undefined || found === null) return null;
    const text = textOf(found);
    if (text !== null) return text;
    // Once: a message may have as many members as it has bytes.
    plain ??= JSON.parse(message);
    return JSON.stringify(at(plain, place));
  };
  const texts = names
    ? names.map((name) => [name, textAt([...path, name])])
    : [['value', textAt(path)]];
  return Object.fromEntries(texts.filter(([, text]) => text !== null));
}
