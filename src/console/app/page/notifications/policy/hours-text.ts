import { plantZone } from '../../../client/clock.ts';
import { policiesWords } from '../../../word/policies.ts';
import { language } from '../../../word/words.ts';
import type { Rota, Window } from './content.ts';

export const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7] as const;
/** Days of which a first and a last one are said, not each. */
const RUN = 3;

export const zoneOfPlant = (): string =>
  plantZone.value ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of a day of the week: 1 is Monday. */
export const dayName = (day: number): string =>
  new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, day),
  );

function daysText(days: readonly number[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length === ALL_DAYS.length)
    return policiesWords().says.daily;
  const isRun = days.length >= RUN && last - first === days.length - 1;
  return isRun ? `${dayName(first)}–${dayName(last)}` : days.map(dayName).join(', ');
}

/** Weekly hours in words: `Mon–Fri 08:00–17:00`. */
export const hoursText = (windows: readonly Window[]): string =>
  windows
    .map(({ start, end, daysOfWeek = [] }) => `${daysText(daysOf(daysOfWeek))} ${start}–${end}`)
    .join('; ');

const daysOf = (days: NonNullable<Window['daysOfWeek']>): number[] =>
  ALL_DAYS.filter((day) => days.some((each) => Number(each) === day));

/** Quiet hours in words, those of one time zone together. */
export function zonedText(windows: readonly Window[]): string {
  const w = policiesWords().says;
  const zones = [...new Set(windows.map(({ timezone = 'UTC' }) => timezone))];
  return zones
    .map((zone) =>
      w.inZone(hoursText(windows.filter(({ timezone = 'UTC' }) => timezone === zone)), zone),
    )
    .join('; ');
}

export function rotaText({ timezone = 'UTC', windows, holidays }: Rota): string {
  const w = policiesWords().says;
  const hours = w.inZone(hoursText(windows), timezone);
  return holidays
    ? w.onHolidays(hours, holidays.dates.length, hoursText(holidays.windows ?? []))
    : hours;
}

export const areWhole = (windows: readonly Window[]): boolean =>
  windows.every(({ start, end }) => start !== '' && end !== '');

export const isRotaWhole = (rota: Rota | undefined): boolean =>
  rota === undefined ||
  (rota.windows.length > 0 && areWhole(rota.windows) && areWhole(rota.holidays?.windows ?? []));
