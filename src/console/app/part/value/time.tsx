import { plantZone, ticking } from '../../client/clock.ts';
import { timeWords } from '../../word/state.ts';
import { language } from '../../word/words.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A length of time in its largest unit: `3 h`. */
export function lengthOf(seconds: number): string {
  const w = timeWords();
  const s = Math.max(0, Math.floor(seconds));
  if (s < MINUTE_S) return w.s(s);
  if (s < HOUR_S) return w.min(Math.floor(s / MINUTE_S));
  if (s < 2 * DAY_S) return w.h(Math.floor(s / HOUR_S));
  return w.d(Math.floor(s / DAY_S));
}

export function agoOf(seconds: number): string {
  const w = timeWords();
  const s = Math.floor(seconds);
  if (s < 1) return w.now;
  if (s < MINUTE_S) return w.seconds(s);
  if (s < HOUR_S) return w.minutes(Math.floor(s / MINUTE_S));
  if (s < 2 * DAY_S) return w.hours(Math.floor(s / HOUR_S));
  return w.days(Math.floor(s / DAY_S));
}

type At = { at: string | null };

/** How long ago a moment was, or how long it is until it, kept up to date while it is shown. */
export function Ago({ at, isQuiet = false }: At & { isQuiet?: boolean }) {
  if (isQuiet)
    return (
      <span class="quiet">
        <Ago at={at} />
      </span>
    );
  if (at === null) return <span class="quiet">{timeWords().never}</span>;
  const seconds = (ticking.value - Date.parse(at)) / 1_000;
  return (
    <time dateTime={at} title={fullTime(at)} class="tabular">
      {seconds <= -1 ? timeWords().in(lengthOf(-seconds)) : agoOf(seconds)}
    </time>
  );
}

/** A moment in the person's zone, with the plant's clock beside it where that is another. */
export function Moment({ at, seconds = false }: At & { seconds?: boolean }) {
  if (at === null) return <span class="quiet">{timeWords().never}</span>;
  const plant = otherZone();
  return (
    <time dateTime={at} title={at} class="tabular">
      {clockOf(at, undefined, seconds)}
      {plant !== null && <small> {timeWords().plant(clockOf(at, plant, seconds))}</small>}
    </time>
  );
}

/** The plant's time zone; null where the person's clock shows the same. */
function otherZone(): string | null {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return plantZone.value === own ? null : plantZone.value;
}

/** Date and time; today's without a date. */
function clockOf(at: string, timeZone: string | undefined, seconds: boolean): string {
  const date = new Date(at);
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat('en-CA', { ...zone, dateStyle: 'short' });
  const isToday = day.format(date) === day.format(ticking.peek());
  return new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    ...(!isToday && { day: 'numeric', month: 'short', year: 'numeric' }),
  }).format(date);
}

/** A moment in the person's zone, for a sentence. */
export const momentText = (at: string): string => clockOf(at, undefined, false);

const fullTime = (at: string): string => `${clockOf(at, undefined, true)} (${at})`;
