import { MAX_BODY_BYTES } from '../../src/bus/bus.ts';

/** Leaves room for the rest of the message. */
const MAX_BYTES = MAX_BODY_BYTES * 0.9;
/** Length of a control character in JSON. */
const BYTES_PER_CHARACTER = 6;

/** Upper bound for `text` in a message. */
export const bytesOf = (text: string): number => text.length * BYTES_PER_CHARACTER;

/** Splits into parts of at most `maxCount` items that fit one message; `bytes` may over-estimate. */
export function portions<T>(
  items: readonly T[],
  maxCount: number,
  bytes: (item: T) => number,
): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = bytes(item);
    if (part.length > 0 && (part.length >= maxCount || size + more > MAX_BYTES)) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(item);
    size += more;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
