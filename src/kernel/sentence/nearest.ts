import { distance } from './distance.ts';

const MAX_NEAREST = 3;
/** Edits of a name that a typo explains. */
const MAX_EDITS = 3;
const MAX_LENGTH = 64;

/** The up to three of `names` (camel case) that share most words with `given`, or are a typo of it. */
export function nearest(given: string, names: readonly string[]): string[] {
  const text = given.slice(0, MAX_LENGTH);
  const asked = wordsIn(text);
  return names
    .map((name) => {
      const words = wordsIn(name);
      const shared = asked.filter((word) => words.some((other) => distance(word, other, 1) <= 1));
      const edits = distance(text.toLowerCase(), name.toLowerCase(), MAX_EDITS);
      return { name, edits, shared: shared.join('').length };
    })
    .filter(({ edits, shared }) => edits <= MAX_EDITS || shared > 1)
    .toSorted((a, b) => a.edits - b.edits || b.shared - a.shared)
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name);
}

const wordsIn = (name: string): string[] =>
  name
    .split(/(?<=[a-z\d])(?=[A-Z])|[^\p{L}\d]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 1 && !VERBS.has(word));

/** Of tools: they say little about what is meant. */
const VERBS = new Set(['by', 'find', 'get', 'list', 'lookup', 'read', 'search', 'show']);
