/** Something that alarms: `key` tells it from all others. */
export type Happening = { key: string; at: number };
export type Pair = { a: string; b: string; count: number };

/** Compared with each other; the pairs of more would be too many to count for one answer. */
const MAX_KEYS = 50;

/**
 * Which keys happen within `windowMs` of each other, most often first; each happening counts once for a pair.
 * Only the fifty most frequent keys are compared, so the work is at most fifty times `happenings`. Once together
 * is no pattern: pairs begin with two.
 */
export function coincidences(
  happenings: readonly Happening[],
  windowMs: number,
  limit: number,
): Pair[] {
  const times = Map.groupBy(happenings, ({ key }) => key);
  const frequent = [...times]
    .toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .slice(0, MAX_KEYS)
    .map(([key, found]) => ({ key, at: found.map(({ at }) => at).toSorted((a, b) => a - b) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const pairs = frequent.flatMap((a, place) =>
    frequent
      .slice(place + 1)
      .map((b) => ({ a: a.key, b: b.key, count: matches(a.at, b.at, windowMs) })),
  );
  return pairs
    .filter(({ count }) => count > 1)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, limit);
}

/** How often a time of `a` and one of `b` (both ascending) lie close together, each used once. */
function matches(a: readonly number[], b: readonly number[], windowMs: number): number {
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const apart = (a[i] ?? 0) - (b[j] ?? 0);
    if (Math.abs(apart) <= windowMs) count += 1;
    if (apart <= windowMs) i += 1;
    if (apart >= -windowMs) j += 1;
  }
  return count;
}
