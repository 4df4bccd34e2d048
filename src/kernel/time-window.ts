/** Hours of days: times of day `HH:MM` or `HH:MM:SS`, ISO days of the week (none: every day), an IANA time zone. */
export type TimeWindow = {
  timezone: string;
  start: string;
  end: string;
  daysOfWeek: readonly number[];
};

/** Whether a time (ms) lies in a window, by local time in the window's time zone. */
export function isWithin(window: TimeWindow, at: number): boolean {
  const { day, second } = wallClock(window.timezone, at);
  const start = secondOf(window.start);
  const end = secondOf(window.end);
  const onDay = (wanted: number): boolean =>
    window.daysOfWeek.length === 0 || window.daysOfWeek.includes(wanted);
  if (start < end) return onDay(day) && second >= start && second < end;
  // Overnight, or 24 hours: the window continues into the next day.
  const yesterday = day === 1 ? 7 : day - 1;
  return (onDay(day) && second >= start) || (onDay(yesterday) && second < end);
}

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** To make a formatter takes a hundred times as long as to use it. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const MAX_CLOCKS = 600;

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  if (clocks.size >= MAX_CLOCKS) clocks.clear();
  clocks.set(timeZone, clock);
  return clock;
}

/** ISO day of the week (1 is Monday) and second of the day. */
function wallClock(timeZone: string, at: number): { day: number; second: number } {
  const parts = clockOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  return {
    day: names.indexOf(part('weekday')) + 1,
    second: secondOf(`${part('hour')}:${part('minute')}:${part('second')}`),
  };
}

/** Second of the day of `HH:MM` or `HH:MM:SS`. */
export function secondOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

const STEPS_MS = [300_000, 60_000, 1_000];
const WEEK_MS = 7 * 86_400_000;

/**
 * When the windows that a time (ms) lies in have ended: the first second in none of them, as far as steps of five
 * minutes find it; a week later at the latest.
 */
export function endOf(windows: readonly TimeWindow[], at: number): number {
  const last = at + WEEK_MS;
  let within = at;
  for (const step of STEPS_MS) {
    const next = (): number => (Math.floor(within / step) + 1) * step;
    while (within < last && windows.some((window) => isWithin(window, next()))) within = next();
  }
  return Math.min(Math.floor(within / 1_000) * 1_000 + 1_000, last);
}

const DAY_SECONDS = 86_400;

/** The next time (ms) after `at` when clocks of a time zone say `time`; where they skip it, as much later as they skip. */
export function nextTime(timeZone: string, time: string, at: number): number {
  const wanted = secondOf(time);
  const left = (from: number): number =>
    (wanted - wallClock(timeZone, from).second + DAY_SECONDS) % DAY_SECONDS;
  const base = Math.floor(at / 1_000) * 1_000;
  const found = base + (left(base) || DAY_SECONDS) * 1_000;
  // The clocks were changed meanwhile: by less than half a day.
  const off = left(found);
  const moved = found + (off > DAY_SECONDS / 2 ? off - DAY_SECONDS : off) * 1_000;
  return left(moved) === 0 ? moved : found;
}
