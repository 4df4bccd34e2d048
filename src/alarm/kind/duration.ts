import { Text } from '../../kernel/input/text.ts';

const PATTERN =
  /^P(?=\d|T\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/;
const MAX_MS = 30 * 86_400_000;

/** Milliseconds of an ISO-8601 duration of days, hours, minutes and seconds; null for anything else. */
export function durationMs(text: string): number | null {
  const parts = PATTERN.exec(text);
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((n) => Number(n ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

const UNITS = ['d', 'h', 'min', 's'] as const;

/** An ISO-8601 duration for people: `10 min` of PT10M, `1 d 12 h` of P1DT12H; another text as it is. */
export function durationWords(text: string): string {
  const parts = PATTERN.exec(text)?.slice(1) ?? [];
  const words = parts.flatMap((count, index) =>
    Number(count ?? 0) > 0 ? [`${Number(count)} ${UNITS[index]}`] : [],
  );
  return words.length > 0 ? words.join(' ') : text;
}

/** A length of time for people, in its two largest units: `2 h 10 min`. */
export function lengthWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const counts = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return '0 s';
  return counts
    .map((count, index) => ({ count, index }))
    .filter(({ count, index }) => count > 0 && index - first < 2)
    .map(({ count, index }) => `${count} ${UNITS[index]}`)
    .join(' ');
}

/** An ISO-8601 duration of at most 30 days, kept as text. */
export const Duration = Text(32).refine(
  (text) => (durationMs(text) ?? MAX_MS + 1) <= MAX_MS,
  'must be an ISO-8601 duration of at most 30 days, such as PT5M',
);
