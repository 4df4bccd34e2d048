import type { Random } from '../../hostile/random.ts';
import { NOW, ZONE } from './plant.ts';

const HOUR_MS = 3_600_000;
const two = (part: number): string => String(part).padStart(2, '0');
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July'] as const;

/** Ways to write a time: `isPast` for fields that take a time of day or how long ago. */
export function timeSpellings(iso: string, isPast: boolean): (string | number)[] {
  const instant = Temporal.Instant.from(iso);
  const ms = instant.epochMilliseconds;
  const local = instant.toZonedDateTimeISO(ZONE);
  const today = Temporal.Instant.fromEpochMilliseconds(NOW).toZonedDateTimeISO(ZONE).toPlainDate();
  const { year, month, day, hour, minute } = local;
  const date = `${year}-${two(month)}-${two(day)}`;
  const clock = `${two(hour)}:${two(minute)}`;
  const half = `${hour % 12 || 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
  const name = MONTHS[month - 1] ?? '';
  const spelled: (string | number)[] = [
    `${date}T${clock}`,
    `${date}T${clock}:00`,
    `${date} ${clock}`,
    `${date} ${clock}:00`,
    ` ${date}T${clock}:00 `,
    `${date}T${clock}:00+02:00`,
    `${date}T${clock}:00.000+02:00`,
    `${date} ${clock}:00+02:00`,
    `${date}T${clock}:00+0200`,
    `${date}T${clock}:00+02:00[Europe/Berlin]`,
    instant.toString(),
    instant.toString().replace('Z', '.000Z'),
    instant.toString().replace('T', ' ').replace('Z', ' UTC'),
    ms,
    String(ms),
    ms / 1_000,
    `${year}/${two(month)}/${two(day)} ${clock}`,
    `${two(day)}.${two(month)}.${year} ${clock}`,
    `${day}.${month}.${year}, ${clock}`,
    `${name} ${day}, ${year} ${clock}`,
    `${name.slice(0, 3)} ${day}, ${year} at ${half}`,
    `${day} ${name} ${year}, ${clock}`,
  ];
  const days = local.toPlainDate().since(today).days;
  const word = { '-1': 'yesterday', '0': 'today', '1': 'tomorrow' }[String(days)];
  if (word !== undefined)
    spelled.push(`${word} ${clock}`, `${word} at ${clock}`, `${word} ${half}`);
  if (hour === 0 && minute === 0) {
    spelled.push(date, `${two(day)}.${two(month)}.${year}`, `${name} ${day}, ${year}`);
    if (word !== undefined) spelled.push(word, word.toUpperCase());
  }
  return isPast ? [...spelled, ...relative(ms, clock)] : spelled;
}

function relative(ms: number, clock: string): (string | number)[] {
  const hours = (NOW - ms) / HOUR_MS;
  const spelled: (string | number)[] = hours > 0 && hours < 24 ? [clock, `${clock}:00`] : [];
  if (!Number.isInteger(hours) || hours <= 0) return spelled;
  spelled.push(
    hours,
    String(hours),
    `${hours}h`,
    `${hours} hours`,
    `-${hours}h`,
    `${hours} hours ago`,
    `last ${hours} hours`,
    `the past ${hours}h`,
    `PT${hours}H`,
    `now-${hours}h`,
    `${hours * 60} minutes`,
  );
  if (hours % 24 === 0)
    spelled.push(`${hours / 24}d`, `${hours / 24} days ago`, `P${hours / 24}D`, `-${hours / 24}d`);
  return spelled;
}

const UNITS: Readonly<Record<string, readonly string[]>> = {
  '°C': [
    'C',
    '℃',
    'degC',
    '° C',
    'celsius',
    'Celsius',
    'deg C',
    'degrees Celsius',
    '°c',
    'Grad Celsius',
  ],
  'm³/h': ['m3/h', 'm^3/h', 'M3/H', 'm³ / h', 'm3/hour', 'cubic meters per hour', 'm3/hr', 'cbm/h'],
  '%': ['percent', 'pct', 'Percent', 'per cent', 'Prozent', ' %'],
};

export const unitSpellings = (unit: string): readonly string[] => UNITS[unit] ?? [];

/** Ways to write the value of a write, by what it is. */
export function valueSpellings(value: unknown): unknown[] {
  if (typeof value === 'number')
    return [
      String(value),
      ` ${value} `,
      value.toFixed(2),
      `${value.toFixed(1)}0`,
      `+${value}`.replace('+-', '-'),
    ];
  if (typeof value === 'boolean')
    return [String(value), value ? 'True' : 'False', value ? 1 : 0, value ? '1' : '0'];
  // A text is the text, whatever it looks like.
  return [value];
}

/** Lengths of time in a field of hours, days or seconds. */
export function lengthSpellings(field: string, value: number): unknown[] {
  const unit = field === 'hours' ? 3_600 : field === 'days' ? 86_400 : 1;
  const seconds = value * unit;
  if (seconds === 0) return [];
  const forms = [`${seconds} seconds`, `${seconds}s`];
  if (seconds % 60 === 0)
    forms.push(`${seconds / 60} min`, `${seconds / 60}m`, `${seconds / 60} minutes`);
  if (seconds % 3_600 === 0)
    forms.push(`${seconds / 3_600}h`, `${seconds / 3_600} hours`, `PT${seconds / 3_600}H`);
  if (seconds % 86_400 === 0) forms.push(`${seconds / 86_400} days`, `${seconds / 86_400}d`);
  return forms;
}

export const pickOf = <T>(random: Random, list: readonly T[]): T | undefined =>
  list.length === 0 ? undefined : random.pick(list);
