/** Of a text that is no UTF-8 and has no mark of its order of bytes: what Windows programs of the West write. */
const WESTERN = 'windows-1252';
/** What Windows programs in China write: GBK, as the part of it that GB 18030 has. */
const CHINESE = 'gb18030';
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

/** Bytes that are looked at where no mark says the encoding. */
const LOOKED_AT = 64 * 1024;
/** Of the bytes beyond ASCII, so many are in pairs of GB 2312, whose characters nearly all of Chinese is written with. */
const MOSTLY = 0.9;

/** The encoding of a text by its first bytes, and by what its bytes can be; null: it is no text. It may be a beginning. */
export function encodingOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const wide = wideOf(bytes);
  const encodings = wide ? [wide] : ['utf-8', CHINESE, WESTERN];
  return encodings.find((encoding) => isTextIn(bytes, encoding)) ?? null;
}

/** Of the bytes of UTF-16 without its mark so many are zero, all at even places or all at odd ones: the text is mostly Latin. */
const ZEROS = 0.4;
const MIN_WIDE_BYTES = 32;

function wideOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  const end = Math.min(bytes.length, LOOKED_AT) & ~1;
  for (let at = 0; at < end; at += 1) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (end < MIN_WIDE_BYTES) return null;
  if (odd > 0 && even === 0 && odd >= ZEROS * end) return 'utf-16le';
  return even > 0 && odd === 0 && even >= ZEROS * end ? 'utf-16be' : null;
}

function isTextIn(bytes: Buffer, encoding: string): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, {
      stream: true,
    });
    // In windows-1252 each byte is a character: more than a third beyond ASCII is another encoding, or no text.
    if (encoding === WESTERN && foreignIn(bytes) > bytes.length / 3) return false;
    if (encoding === CHINESE && !isChinese(bytes)) return false;
    return !CONTROL.test(text);
  } catch {
    return false;
  }
}

const foreignIn = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum + (byte >> 7), 0);

/** Nearly all that is beyond ASCII are pairs of signs and characters of GB 2312; umlauts and accents of the West come alone. */
function isChinese(bytes: Buffer): boolean {
  let foreign = 0;
  let paired = 0;
  for (let at = 0; at < Math.min(bytes.length, LOOKED_AT); at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const isSign = lead >= 0xa1 && lead <= 0xa9;
    const isPair = (isSign || (lead >= 0xb0 && lead <= 0xf7)) && (bytes[at + 1] ?? 0) >= 0xa1;
    foreign += isPair ? 2 : 1;
    paired += isPair ? 2 : 0;
    if (isPair) at += 1;
  }
  return paired > 0 && paired >= MOSTLY * foreign;
}

/** Whether bytes are a text in UTF-8, UTF-16, GBK or windows-1252. */
export function isTextual(bytes: Buffer): boolean {
  const encoding = encodingOf(bytes);
  return encoding !== null && !CONTROL.test(decodedIn(bytes, encoding));
}

/** A text in whichever of these encodings it is; characters that none has become U+FFFD. */
export const decoded = (bytes: Buffer): string => decodedIn(bytes, encodingOf(bytes) ?? 'utf-8');

const decodedIn = (bytes: Buffer, encoding: string): string =>
  new TextDecoder(encoding).decode(bytes);
