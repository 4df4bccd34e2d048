/**
 * Invisible or direction-changing characters, which could make a device or user name look different to a
 * human and to a model: controls, format and bidi marks, fillers, tags, selectors (all but the one that
 * turns a sign into its emoji).
 */
const INVISIBLE = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]/gu;

/** A control sequence of a terminal as a whole: without its first character the rest would stay to be read. */
const OF_TERMINALS =
  // oxlint-disable-next-line no-control-regex -- that first character
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g;

/** `text` without invisible characters (line breaks and tabs become blanks), at most `max` long. */
export function clean(text: string, max: number): string {
  const visible = text
    .replace(OF_TERMINALS, '')
    .replace(/[\r\n\t]+/g, ' ')
    .replace(INVISIBLE, '');
  if (visible.length <= max) return visible;
  return `${visible
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '')}…`;
}
