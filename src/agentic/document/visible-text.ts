/** Invisible characters, by which a text can read differently for a human and for a model. */
const INVISIBLE = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]/gu;
const MAX_NAME = 128;

/** `text` without invisible characters but line breaks and tabs, at most `max` long. */
export const visibleText = (text: string, max: number): string =>
  text
    .slice(0, max)
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(INVISIBLE, (character) => (/[\n\t]/.test(character) ? character : ''));

/** A file name as it can be stored and shown: no path, no control or direction marks, never empty. */
export function visibleName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const name = visibleText(last, 4 * MAX_NAME)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  return name.slice(0, MAX_NAME).toWellFormed() || 'attachment';
}
