const PLACES = new Map<string, number>();

/** Bytes of a text in GBK; the text has no other characters than those of GB 2312. */
export function gbk(text: string): Buffer<ArrayBuffer> {
  if (PLACES.size === 0) {
    const decoder = new TextDecoder('gbk');
    for (let lead = 0xa1; lead <= 0xf7; lead += 1)
      for (let trail = 0xa1; trail <= 0xfe; trail += 1)
        PLACES.set(decoder.decode(Uint8Array.of(lead, trail)), lead * 256 + trail);
  }
  const bytes = Array.from(text).flatMap((sign) => {
    if (sign < '\x80') return [sign.charCodeAt(0)];
    const place = PLACES.get(sign);
    if (place === undefined) throw new Error(`GB 2312 has no ${sign}`);
    return [place >> 8, place & 255];
  });
  return Buffer.from(bytes);
}
