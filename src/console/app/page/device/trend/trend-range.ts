import type { Range } from '../../../../chart/line.ts';

export type { Range };

const HOUR_MS = 3_600_000;
/** Spans that end now. */
export const SPANS = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
};
export type Span = keyof typeof SPANS;
const DEFAULT: Span = '24h';
const SHORTEST_MS = 10_000;
const LONGEST_MS = 366 * 24 * HOUR_MS;
/** How much finer than its span a range that ends now moves on. */
const STEPS = 300;

const isSpan = (text: string | null): text is Span => text !== null && Object.hasOwn(SPANS, text);

/** What the address says: a span up to `now`, or a chosen time, for which `span` is null. */
export function rangeOf(query: URLSearchParams, now: number): Range & { span: Span | null } {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(query.get(name) ?? ''));
  if (from !== undefined && to !== undefined && from < to) return { from, to, span: null };
  const given = query.get('span');
  const span = isSpan(given) ? given : DEFAULT;
  const stepMs = Math.max(SHORTEST_MS, SPANS[span] / STEPS);
  const end = Math.ceil(now / stepMs) * stepMs;
  return { from: end - SPANS[span], to: end, span };
}

/** For `setQuery`: a chosen time. */
export const inQuery = ({ from, to }: Range): Record<string, string | null> => ({
  span: null,
  from: new Date(Math.round(from)).toISOString(),
  to: new Date(Math.round(to)).toISOString(),
});

/** Moves by a share of its length; below 0 into the past, and never beyond `now`. */
export function panned({ from, to }: Range, share: number, now: number): Range {
  const length = to - from;
  const end = Math.min(to + share * length, Math.max(now, to));
  return { from: end - length, to: end };
}

/** Makes it longer (above 1) or shorter around its middle, within what the platform answers. */
export function zoomed({ from, to }: Range, factor: number, now: number): Range {
  const length = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (to - from) * factor));
  const middle = (from + to) / 2;
  const end = Math.min(middle + length / 2, Math.max(now, to));
  return { from: end - length, to: end };
}

/** As a field of the browser for a date and a time has it: minutes in the person's zone. */
export function inField(at: number): string {
  const shifted = at - new Date(at).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 16);
}
