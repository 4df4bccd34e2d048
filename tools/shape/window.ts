import { z } from 'zod';

const HOUR_MS = 3_600_000;
const MAX_HOURS = 8_784;

const Iso = z.iso.datetime({ offset: true }).refine((time) => time >= '0002');
const isHours = (text: string): boolean =>
  /^\d{1,4}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= MAX_HOURS;

/** A time in the input of a search: ISO-8601 with an offset, or how many hours ago. */
export const Since = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(
    (text) => isHours(text) || Iso.safeParse(text).success,
    'must be a time in ISO-8601 with an offset, or a number of hours ago',
  );

/** The moment of a `Since`; `now` in milliseconds since the epoch. */
export const momentOf = (given: string | undefined, now: number): Date | undefined =>
  given === undefined
    ? undefined
    : new Date(isHours(given) ? now - Number(given) * HOUR_MS : given);
