/** The pieces that a tokenizer of a model cuts text into first: words by case, up to three digits, signs, spaces. */
const PIECES =
  /[^\r\n\p{L}\p{N}]?(?:\p{Lu}*[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+)|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * About how many tokens (o200k) a text is: within 5 % for JSON of names, numbers and times. The exact count needs a
 * vocabulary of megabytes.
 */
export function tokensIn(text: string): number {
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES))
    tokens += costOf(piece, /[\p{L}]/u.test(text[index - 1] ?? ''));
  return Math.ceil(tokens);
}

/** `isInner`: after a letter, as the second word of `deviceName`. */
function costOf(piece: string, isInner: boolean): number {
  const isAscii = ASCII.test(piece);
  if (!/\p{L}/u.test(piece)) return isAscii ? Math.max(1, piece.length / 4) : signsIn(piece);
  if (!isAscii) return Math.max(1, piece.length / 2.5);
  if (piece.startsWith(' ') || isInner) return Math.max(1, Math.round(piece.length / 9));
  const letters = piece.replace(/^[^A-Za-z]/, '').length;
  // A vocabulary holds fewer words with a capital, and with neither space nor quote before them.
  if (/^.?[A-Z]/.test(piece)) return Math.max(1, letters / 3.2);
  return letters < 5 ? 1 : Math.max(1.5, letters / 5);
}

/** Bars and other signs beyond ASCII: their bytes are mostly two tokens. */
const signsIn = (piece: string): number =>
  Array.from(piece).reduce((sum, sign) => sum + (ASCII.test(sign) ? 0.45 : signCost(sign)), 0);

const signCost = (sign: string): number => (sign.charCodeAt(0) < 0x100 || sign === '█' ? 1 : 1.85);
