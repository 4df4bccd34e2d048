/**
 * Invisible or direction-changing characters, which could make a device or user name look different to a
 * human and to a model: controls, format and bidi marks, fillers, tags, selectors (all but the one that
 * turns a sign into its emoji).
 */
const INVISIBLE = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]/gu;

/** `text` without invisible characters (line breaks and tabs become blanks), at most `max` long. */
export function clean(text: string, max: number): string {
  const visible = text.replace(/[\r\n\t]+/g, ' ').replace(INVISIBLE, '');
  if (visible.length <= max) return visible;
  return `${visible
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '')}…`;
}
