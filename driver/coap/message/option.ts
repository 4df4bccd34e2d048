/** Option numbers (RFC 7252 12.2, 7641, 7959, 9175); odd ones are critical. */
export const OptionNumber = {
  IF_MATCH: 1,
  URI_HOST: 3,
  ETAG: 4,
  IF_NONE_MATCH: 5,
  OBSERVE: 6,
  URI_PORT: 7,
  LOCATION_PATH: 8,
  URI_PATH: 11,
  CONTENT_FORMAT: 12,
  MAX_AGE: 14,
  URI_QUERY: 15,
  ACCEPT: 17,
  LOCATION_QUERY: 20,
  BLOCK2: 23,
  BLOCK1: 27,
  SIZE2: 28,
  PROXY_URI: 35,
  PROXY_SCHEME: 39,
  SIZE1: 60,
  REQUEST_TAG: 292,
} as const;

export type Option = { number: number; value: Buffer };

type Format = { min: number; max: number; repeatable?: true };

// If-Match and If-None-Match are missing: no resource here has entity tags, so they count as unrecognised.
const IN_REQUESTS = new Map<number, Format>([
  [OptionNumber.URI_HOST, { min: 1, max: 255 }],
  [OptionNumber.ETAG, { min: 1, max: 8, repeatable: true }],
  [OptionNumber.OBSERVE, { min: 0, max: 3 }],
  [OptionNumber.URI_PORT, { min: 0, max: 2 }],
  [OptionNumber.URI_PATH, { min: 0, max: 255, repeatable: true }],
  [OptionNumber.CONTENT_FORMAT, { min: 0, max: 2 }],
  [OptionNumber.URI_QUERY, { min: 0, max: 255, repeatable: true }],
  [OptionNumber.ACCEPT, { min: 0, max: 2 }],
  [OptionNumber.BLOCK2, { min: 0, max: 3 }],
  [OptionNumber.BLOCK1, { min: 0, max: 3 }],
  [OptionNumber.SIZE2, { min: 0, max: 4 }],
  [OptionNumber.PROXY_URI, { min: 1, max: 1034 }],
  [OptionNumber.PROXY_SCHEME, { min: 1, max: 255 }],
  [OptionNumber.SIZE1, { min: 0, max: 4 }],
  [OptionNumber.REQUEST_TAG, { min: 0, max: 8, repeatable: true }],
]);

const IN_RESPONSES = new Map<number, Format>([
  [OptionNumber.ETAG, { min: 1, max: 8 }],
  [OptionNumber.OBSERVE, { min: 0, max: 3 }],
  [OptionNumber.LOCATION_PATH, { min: 0, max: 255, repeatable: true }],
  [OptionNumber.CONTENT_FORMAT, { min: 0, max: 2 }],
  [OptionNumber.MAX_AGE, { min: 0, max: 4 }],
  [OptionNumber.LOCATION_QUERY, { min: 0, max: 255, repeatable: true }],
  [OptionNumber.BLOCK2, { min: 0, max: 3 }],
  [OptionNumber.BLOCK1, { min: 0, max: 3 }],
  [OptionNumber.SIZE2, { min: 0, max: 4 }],
  [OptionNumber.SIZE1, { min: 0, max: 4 }],
]);

/**
 * The recognised options, or the number of a critical one that must not be ignored. Wrong length and
 * surplus occurrences count as unrecognised (RFC 7252 5.4.1, 5.4.3, 5.4.5).
 */
export function recognise(
  options: readonly Option[],
  where: 'request' | 'response',
): readonly Option[] | number {
  const formats = where === 'request' ? IN_REQUESTS : IN_RESPONSES;
  let kept: Option[] | null = null;
  let previous = -1;
  let index = -1;
  for (const option of options) {
    const { number, value } = option;
    index += 1;
    const format = formats.get(number);
    const valid =
      format !== undefined &&
      value.length >= format.min &&
      value.length <= format.max &&
      (number !== previous || format.repeatable === true);
    previous = number;
    if (valid) {
      kept?.push(option);
    } else {
      if (number % 2 === 1) return number;
      kept ??= options.slice(0, index);
    }
  }
  return kept ?? options;
}

/** An unsigned integer in the fewest bytes, zero as none (RFC 7252 3.2). */
export function uintOption(number: number, value: number): Option {
  let size = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) size++;
  const bytes = Buffer.alloc(size);
  if (size > 0) bytes.writeUIntBE(value, 0, size);
  return { number, value: bytes };
}

/** The unsigned integer of the first option with that number, or null. */
export function uintOf(options: readonly Option[], number: number): number | null {
  for (const option of options) {
    if (option.number !== number) continue;
    const { value } = option;
    return value.length === 0 ? 0 : value.readUIntBE(0, value.length);
  }
  return null;
}

/** The values of a repeatable text option in order. */
export function textsOf(options: readonly Option[], number: number): string[] {
  const texts: string[] = [];
  for (const option of options) {
    if (option.number === number) texts.push(option.value.toString());
  }
  return texts;
}

/** One option per text. */
export function textOptions(number: number, texts: readonly string[]): Option[] {
  return texts.map((text) => ({ number, value: Buffer.from(text) }));
}
