import type { Tool } from '../../kernel/app/app.ts';
import { distance } from '../../kernel/sentence/distance.ts';

const MAX_WORDS = 40;

/** Tools that have a word in common with `words`, the most first; all in their order where `words` has none. */
export function rankTools(tools: readonly Tool[], words: string): Tool[] {
  const asked = wordsIn(words);
  if (asked.length === 0) return [...tools];
  return tools
    .map((tool) => ({ tool, points: asked.reduce((sum, word) => sum + pointsOf(tool, word), 0) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .map(({ tool }) => tool);
}

const pointsOf = ({ name, title, domain, description }: Tool, word: string): number =>
  isAmong(word, wordsIn(`${name} ${title}`))
    ? 3
    : isAmong(word, wordsIn(`${domain} ${description}`))
      ? 1
      : 0;

const isAmong = (word: string, words: readonly string[]): boolean =>
  words.some((other) => other.startsWith(word) || distance(word, other, 1) <= 1);

const wordsIn = (text: string): string[] =>
  text
    .split(/(?<=[a-z\d])(?=[A-Z])|[^\p{L}\d]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2)
    .slice(0, MAX_WORDS);
