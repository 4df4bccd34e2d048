import type { Named } from './name-list.ts';
import { MAX_PHRASE, wordsOf } from './words.ts';

const GENERATED = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a person gave this code; one that the platform made says nothing. */
export const isGiven = (code: string): boolean => !GENERATED.test(code);

/** The devices by their codes, in any case and with any signs between; two codes may differ in no more than that. */
export type Codes<N extends Named = Named> = ReadonlyMap<string, readonly N[]>;

const keyOf = (words: readonly string[]): string => words.join(' ');

export function codesOf<N extends Named>(all: readonly { named: N; code: string }[]): Codes<N> {
  const given = all.filter(({ code }) => isGiven(code));
  const codes = Map.groupBy(given, ({ code }) => keyOf(wordsOf(code)));
  codes.delete('');
  return new Map([...codes].map(([key, some]) => [key, some.map(({ named }) => named)]));
}

/** The devices whose whole code a text is. */
export const codedBy = <N extends Named>(codes: Codes<N>, text: string): readonly N[] =>
  codes.size === 0 ? [] : (codes.get(keyOf(wordsOf(text.slice(0, MAX_PHRASE)))) ?? []);

/** The devices whose whole code is in a text, each with the rest of the text. */
export function codedIn<N extends Named>(
  codes: Codes<N>,
  text: string,
): { device: N; rest: string }[] {
  if (codes.size === 0) return [];
  const words = wordsOf(text.slice(0, MAX_PHRASE));
  return words.flatMap((_, from) =>
    words.slice(from).flatMap((__, more) => {
      const to = from + more + 1;
      const rest = keyOf([...words.slice(0, from), ...words.slice(to)]);
      return (codes.get(keyOf(words.slice(from, to))) ?? []).map((device) => ({ device, rest }));
    }),
  );
}
