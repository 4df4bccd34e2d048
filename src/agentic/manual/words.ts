/** Scripts without blanks between words: each pair of neighbouring signs is a word. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
/** A run of signs of such a script, a number with its decimals, or a word with its parts. */
const WORD = new RegExp(
  String.raw`${UNSPACED}+|\d+[.,]\d+(?![\p{L}\p{N}])|(?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])+(?:[._\-/](?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])+)*`,
  'gu',
);
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');

const MAX_WORD = 40;
/** Parts of a word like `E-17` or `AX-200/2`, which are a word together, too. */
const MAX_JOINED = 4;
/** Words of a page that are stored: more are in no manual. */
const MAX_WORDS = 10_000;
const MAX_ENDS = 5_000;
/** A word as long as this may be made of several, as in German; its ends of so many letters are words, too. */
const MIN_COMPOUND = 10;
const MIN_END = 5;
/** The last place in a text that a tsvector knows, and the places of one word that it stores. */
const MAX_PLACE = 16_383;
const MAX_PLACES = 20;

/** A word of a text, and where in it. */
export type Word = { word: string; at: number };

/**
 * The words of a text as they are searched for: lower case, umlauts as two letters, other letters without marks; `E17`, `E-17`
 * and `E 17` are the same, Chinese is pairs of signs.
 */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  // Letters that digits may follow after a blank, as in `E 17`.
  let before = { word: '', end: -1 };
  for (const { 0: match, index: at } of text.matchAll(WORD)) {
    if (IS_UNSPACED.test(match)) {
      words.push(...pairsOf(match, at));
      continue;
    }
    const parts = /^\d+[.,]\d+$/.test(match)
      ? [match.replace(',', '.')]
      : match.split(/[._\-/]/).map(folded);
    for (const word of parts) if (word !== '') words.push({ word, at });
    if (parts.length > 1 && parts.length <= MAX_JOINED)
      words.push({ word: parts.join('').slice(0, MAX_WORD), at });
    const [only = ''] = parts;
    if (before.end === at && /^\d{1,5}$/.test(only))
      words.push({ word: `${before.word}${only}`, at });
    if (/^[a-z]{1,3}$/.test(only)) before = { word: only, end: at + match.length + 1 };
  }
  return words;
}

const folded = (part: string): string =>
  part
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\P{L}/gu, (sign) => (/\p{N}/u.test(sign) ? sign : ''))
    .slice(0, MAX_WORD);

/** Pairs of neighbours, and the last sign alone, so that each sign begins a word. */
function pairsOf(run: string, at: number): Word[] {
  const signs = Array.from(run.normalize('NFKC')).filter((sign) => /[\p{L}\p{M}]/u.test(sign));
  return signs.map((sign, index) => ({ word: `${sign}${signs[index + 1] ?? ''}`, at: at + index }));
}

/** A tsvector of a page, as text: its words (A), those of its title (C), the ends of long words (D). */
export function vectorOf(title: string, text: string): string {
  const places = new Map<string, string[]>();
  const add = (word: string, place: number, weight: string): void => {
    const known = places.get(word);
    if (known === undefined && places.size >= MAX_WORDS) return;
    if (known === undefined) places.set(word, [`${place}${weight}`]);
    else if (known.length < MAX_PLACES) known.push(`${place}${weight}`);
  };
  const words = wordsOf(text);
  let ends = 0;
  for (const [index, { word }] of words.entries()) {
    const place = Math.min(index + 1, MAX_PLACE);
    add(word, place, 'A');
    if (word.length < MIN_COMPOUND || !/^[a-z]+$/.test(word)) continue;
    for (let from = 3; from <= word.length - MIN_END && ends < MAX_ENDS; from += 1, ends += 1)
      add(word.slice(from), place, 'D');
  }
  for (const { word } of wordsOf(title)) add(word, MAX_PLACE, 'C');
  return [...places].map(([word, at]) => `'${word}':${[...new Set(at)].join(',')}`).join(' ');
}

const MAX_ASKED = 24;
/** Endings that a question may have and the manual not, or the other way round (English, German). */
const ENDING = /(?:ing|ed|es|en|er|em|s|e|n)$/;
const MIN_STEM = 4;

/** The words of a question, each as the beginning of words (`isStart`) or as it is; one with digits is taken as it is. */
export function askedWords(text: string): { word: string; isStart: boolean }[] {
  const asked = new Map<string, boolean>();
  for (const { word } of wordsOf(text)) {
    const isOne = IS_UNSPACED.test(word) ? Array.from(word).length === 1 : false;
    const isLong = /^\p{L}+$/u.test(word) && word.length >= MIN_STEM && !IS_UNSPACED.test(word);
    const stem = isLong ? word.replace(ENDING, '') : word;
    asked.set(stem.length >= MIN_STEM ? stem : word, isOne || isLong);
  }
  // Of a code as `E 17` a page has all or nothing: a page with 17 is none of it.
  for (const word of asked.keys()) {
    const [, letters = '', digits = ''] = /^([a-z]{1,3})(\d{1,5})$/.exec(word) ?? [];
    asked.delete(letters);
    asked.delete(digits);
  }
  return [...asked].map(([word, isStart]) => ({ word, isStart })).slice(0, MAX_ASKED);
}
