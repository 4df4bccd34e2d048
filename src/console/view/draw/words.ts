import { now } from '../clock.ts';
import { type Fields, textOf } from '../host/fields.ts';
import { el, quoted } from './element.ts';

const UNITS: readonly [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** A length of time in its largest unit, or its two largest below three of it: `3 h`, `1 d 4 h`. */
export function lasting(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const index = UNITS.findIndex(([size]) => size <= Math.max(1, whole));
  const [size, unit] = UNITS[index] ?? [1, 's'];
  const count = Math.floor(whole / size);
  const [smaller, name] = UNITS[index + 1] ?? [0, ''];
  const rest = smaller > 0 ? Math.floor((whole % size) / smaller) : 0;
  return count < 3 && rest > 0 && size > 60
    ? `${count} ${unit} ${rest} ${name}`
    : `${count} ${unit}`;
}

export const ago = (seconds: number): string => (seconds < 1 ? 'now' : `${lasting(seconds)} ago`);

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Clock time as the plant wrote it, with the date where it is another day than `today`, and the year likewise. */
export function clockTime(iso: string, today: string): string {
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  if (time === '') return iso.slice(0, 32);
  if (date === today.slice(0, 10)) return time;
  const [year = '', month = '', day = ''] = date.split('-');
  const words = `${Number(day)} ${MONTHS[Number(month) - 1] ?? month}`;
  return year === today.slice(0, 4) ? `${words} ${time}` : `${words} ${year} ${time}`;
}

/** How long ago a moment of the platform was, kept up to date while it is shown. */
export function sinceElement(iso: string): HTMLElement {
  const time = el('time', 'tabular', sinceWords(iso));
  time.dateTime = iso;
  time.title = iso;
  return time;
}

const sinceWords = (iso: string): string => {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? '' : ago((now() - at) / 1_000);
};

const EVERY_MS = 15_000;
setInterval(() => {
  for (const time of document.querySelectorAll('time'))
    time.textContent = sinceWords(time.dateTime);
}, EVERY_MS);

/** A value with its unit, in figures of one width. */
export const amount = (value: string, unit: string): HTMLElement =>
  el('bdi', 'tabular', unit === '' ? value : `${value} ${unit}`);

/** The device and point that an answer is about. */
export const place = (fields: Fields): readonly (HTMLElement | string)[] => [
  quoted(textOf(fields, 'deviceName')),
  ' · ',
  quoted(textOf(fields, 'pointName')),
];
