const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNIT_MS: readonly (readonly [form: RegExp, ms: number])[] = [
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, MINUTE_MS],
  [/^(?:h|hrs?|hours?)$/, HOUR_MS],
  [/^(?:d|days?)$/, DAY_MS],
  [/^(?:w|weeks?)$/, 7 * DAY_MS],
];
const PARTS = /^(?:\d{1,7}(?:\.\d{1,3})? ?[a-z]+[ ,]{0,2}){1,4}$/;
const PART = /(\d{1,7}(?:\.\d{1,3})?) ?([a-z]+)/g;
const ISO = /^p(?=\d|t\d)(?:\d+w)?(?:\d+d)?(?:t(?:\d+h)?(?:\d+m)?(?:\d+s)?)?$/;

/** A length of time with its unit, as `8 hours`, `90m`, `1d 12h`, `an hour`, `daily` or `PT8H`, in ms; null for anything else. */
export function lengthIn(given: string): number | null {
  const text = given
    .trim()
    .toLowerCase()
    .replace(/^(?:an?|one) /, '1 ');
  const [, every = ''] = /^(hour|dai|day|week)(?:ly)?$/.exec(text) ?? [];
  if (every !== '') return every === 'hour' ? HOUR_MS : every === 'week' ? 7 * DAY_MS : DAY_MS;
  if (ISO.test(text))
    return Temporal.Duration.from(text.toUpperCase()).total({
      unit: 'milliseconds',
      // Days are 24 hours, weeks 7 of them.
      relativeTo: Temporal.PlainDate.from('2026-01-01'),
    });
  if (!PARTS.test(text)) return null;
  let sum = 0;
  for (const [, count, unit = ''] of text.matchAll(PART)) {
    const [, ms] = UNIT_MS.find(([form]) => form.test(unit)) ?? [];
    if (ms === undefined) return null;
    sum += Number(count) * ms;
  }
  return sum;
}

/** Milliseconds of the unit of a field that is a length of time, by its name: `hours`, `days`, `waitS`; null for others. */
export function unitOf(field: string): number | null {
  if (field === 'hours') return HOUR_MS;
  if (field === 'days') return DAY_MS;
  return /[a-z]S$/.test(field) ? 1_000 : null;
}
