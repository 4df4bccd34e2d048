/** Digits; a character of a script without spaces; letters of any other script. */
const WORD =
  /\p{Nd}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}])+/gu;

/** Upper bound of a phrase; a name has 64 characters. */
export const MAX_PHRASE = 160;

/** As people without the keys write them; other accents are left out. */
const TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[äöüß]/g, (letter) => TWO_LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC');

/**
 * The words of a name, in order: compatibility forms folded (NFKC), lower case, without accents and punctuation, letters
 * and digits apart (`Boiler-02` and `boiler2` both give `boiler`, `2`; `Büro` and `buero`, `buero`).
 */
export const wordsOf = (text: string): string[] =>
  (folded(text).match(WORD) ?? []).map((word) => word.replace(/^0+(?=\p{Nd})/u, ''));

export const isNumber = (word: string): boolean => /^\p{Nd}/u.test(word);
