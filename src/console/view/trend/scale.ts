/** Places of values between two ends of a chart, in pixels. */
export type Scale = (value: number) => number;

export const scale = (from: number, to: number, start: number, end: number): Scale => {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
};

const STEPS = [1, 2, 2.5, 5, 10];

/** About `count` round values from at most `min` to at least `max`. */
export function roundTicks(min: number, max: number, count: number): number[] {
  const span = max - min || Math.abs(max) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.floor(min / step);
  const last = Math.max(first + 1, Math.ceil(max / step));
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_STEPS = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 7, 14].map((days) => days * DAY),
];

/** At most `count` round times of the plant's clock, which is `offsetMs` ahead of UTC, each with its label. */
export function timeTicks(
  { from, to, offsetMs }: { from: number; to: number; offsetMs: number },
  count: number,
): { at: number; label: string }[] {
  const step = TIME_STEPS.find((one) => (to - from) / one <= count) ?? 31 * DAY;
  const first = Math.ceil((from + offsetMs) / step) * step;
  const ticks = [];
  for (let local = first; local <= to + offsetMs; local += step) {
    const text = new Date(local).toISOString();
    const label = step >= DAY ? text.slice(5, 10) : text.slice(11, 16);
    ticks.push({ at: local - offsetMs, label });
  }
  return ticks;
}
