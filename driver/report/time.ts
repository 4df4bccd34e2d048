/** Digits of a whole number of milliseconds, microseconds and nanoseconds since the epoch, from 2001 to 2286. */
const FINER: ReadonlySet<number> = new Set([13, 16, 19]);
/** RFC 3339; without an offset the hour would be a guess. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

/**
 * Milliseconds since the epoch of a time in a message: RFC 3339 with its offset, or a number since the epoch in
 * seconds, milliseconds, microseconds or nanoseconds. Null for all else.
 */
export function timeOf(text: string): number | null {
  if (RFC_3339.test(text)) {
    const time = Date.parse(text);
    return time >= 0 ? time : null;
  }
  const [, whole = '', rest = ''] = /^([1-9]\d{9,18})(\.\d{1,9})?$/.exec(text) ?? [];
  if (whole.length === 10) return Math.floor(Number(whole + rest) * 1000);
  // Nanoseconds have more digits than a number holds.
  return FINER.has(whole.length) ? Number(whole.slice(0, 13)) : null;
}
