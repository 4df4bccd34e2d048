/** Of a text that is no UTF-8 and has no mark of its order of bytes: what Windows programs of the West write. */
const WESTERN = 'windows-1252';
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

/** The encoding of a text by its first bytes, and by what its bytes can be; null: it is no text. It may be a beginning. */
export function encodingOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const encodings = ['utf-8', WESTERN];
  return encodings.find((encoding) => isTextIn(bytes, encoding)) ?? null;
}

function isTextIn(bytes: Buffer, encoding: string): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, {
      stream: true,
    });
    // In windows-1252 each byte is a character: more than a third beyond ASCII is another encoding, or no text.
    if (encoding === WESTERN && foreignIn(bytes) > bytes.length / 3) return false;
    return !CONTROL.test(text);
  } catch {
    return false;
  }
}

const foreignIn = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum + (byte >> 7), 0);

/** Whether bytes are a text in UTF-8, in UTF-16 with its mark, or in windows-1252. */
export function isTextual(bytes: Buffer): boolean {
  const encoding = encodingOf(bytes);
  return encoding !== null && !CONTROL.test(decodedIn(bytes, encoding));
}

/** A text in whichever of these encodings it is; characters that none has become U+FFFD. */
export const decoded = (bytes: Buffer): string => decodedIn(bytes, encodingOf(bytes) ?? 'utf-8');

const decodedIn = (bytes: Buffer, encoding: string): string =>
  new TextDecoder(encoding).decode(bytes);
