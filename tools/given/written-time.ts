import { localTime } from '../../src/kernel/input/local-time.ts';

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const EPOCH = /^(\d{10})(?:\.\d+)?$|^(\d{13})$/;
const YEAR_FIRST = /^(?<y>\d{4})[-/](?<m>\d\d?)[-/](?<d>\d\d?)/;
/** With points the day comes first everywhere; with strokes it does not, so those are not read. */
const DAY_FIRST = /^(?<d>\d\d?)\.\s?(?<m>\d\d?)\.\s?(?<y>\d{4})/;
const DAY_MONTH = /^(?<d>\d\d?)(?:st|nd|rd|th|\.)? (?<name>[a-z]{3,9})\.?,? (?<y>\d{4})/;
const MONTH_DAY = /^(?<name>[a-z]{3,9})\.? (?<d>\d\d?)(?:st|nd|rd|th)?,? (?<y>\d{4})/;
const DAY_FORMS = [YEAR_FIRST, DAY_FIRST, DAY_MONTH, MONTH_DAY];
const WORD = /^(yesterday|today|tomorrow)/;
const CLOCK = /^(\d\d?)(?::(\d\d))?(?::(\d\d)(?:\.\d{1,9})?)? ?(am|pm)?$/;
const OFFSET = / ?(z|utc|gmt|[+-]\d\d:?\d\d)$/;

/** A time of day, as a person writes it: `06:00`, `6am`, `18:30:05`; null for anything else. */
export function clockIn(text: string): { hour: number; minute: number; second: number } | null {
  const [, hours, minutes, seconds, half] = CLOCK.exec(text.trim().toLowerCase()) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return null;
  const given = Number(hours);
  if (half !== undefined && (given < 1 || given > 12)) return null;
  const hour = half === undefined ? given : (given % 12) + (half === 'pm' ? 12 : 0);
  const clock = { hour, minute: Number(minutes ?? 0), second: Number(seconds ?? 0) };
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60 ? clock : null;
}

/**
 * A time that says its day, as a model or a person writes it, in ms since the epoch: ISO-8601, `14.07.2026 06:00`, `July 14, 2026 6 am`,
 * seconds or milliseconds since the epoch, `yesterday 18:00`; without an offset in `zone`; a day alone is its first
 * moment. Null for anything else, days in an order that cannot be known among it.
 */
export function writtenTime(given: string, zone: string, now: number): number | null {
  const text = given.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const [, seconds, ms] = EPOCH.exec(text) ?? [];
  if (ms !== undefined) return Number(ms);
  if (seconds !== undefined) return Math.round(Number(text) * 1_000);
  const iso = localTime(given.trim(), zone);
  if (iso !== null) return iso;
  const day = dayIn(text, zone, now);
  if (day === null) return null;
  const rest = day.rest.replace(/^(?:,? at |,? um |, |t| )/, '');
  const offset = OFFSET.exec(rest)?.[1];
  const clockText = (offset === undefined ? rest : rest.slice(0, -offset.length)).trim();
  if (clockText === '') return offset === undefined ? localTime(day.date, zone) : null;
  const clock = clockIn(clockText);
  if (clock === null) return null;
  const two = (part: number): string => String(part).padStart(2, '0');
  const at = `${day.date}T${two(clock.hour)}:${two(clock.minute)}:${two(clock.second)}`;
  if (offset === undefined) return localTime(at, zone);
  return localTime(`${at}${/^[+-]/.test(offset) ? offset : 'Z'}`, zone);
}

/** The day that a text begins with, and what follows it. */
function dayIn(text: string, zone: string, now: number): { date: string; rest: string } | null {
  const [, word] = WORD.exec(text) ?? [];
  if (word !== undefined) {
    const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const date = today.toPlainDate().add({ days: DAYS[word] ?? 0 });
    return { date: date.toString(), rest: text.slice(word.length) };
  }
  for (const form of DAY_FORMS) {
    const found = form.exec(text);
    const { y = '', m, d = '', name } = found?.groups ?? {};
    const month = name === undefined ? Number(m) : monthIn(name);
    if (!found || month < 1) continue;
    const date = `${y}-${String(month).padStart(2, '0')}-${d.padStart(2, '0')}`;
    return { date, rest: text.slice(found[0].length) };
  }
  return null;
}

/** 1 to 12 for the name of a month, or what it is shortened to; 0 for another word. */
const monthIn = (name: string): number => MONTHS.findIndex((full) => full.startsWith(name)) + 1;
