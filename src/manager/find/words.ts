/** Digits; a character of a script without spaces; letters of any other script. */
const WORD =
  /\p{Nd}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}])+/gu;

/** Upper bound of a phrase; a name has 64 characters. */
export const MAX_PHRASE = 160;

/**
 * The words of a name, in order: compatibility forms folded (NFKC), lower case, without punctuation, letters and
 * digits apart (`Boiler-02` and `boiler2` both give `boiler`, `2`).
 */
export const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) =>
    word.replace(/^0+(?=\p{Nd})/u, ''),
  );

export const isNumber = (word: string): boolean => /^\p{Nd}/u.test(word);
