import { z } from 'zod';

import { localTime } from './local-time.ts';

const error = 'expected a time such as 2026-03-01T08:30:00Z';
const isWritten = (given: unknown): boolean =>
  typeof given === 'number' || typeof given === 'string' || given instanceof Date;

/** `Date` would guess: the eleventh of October of 10.11.2026, March of 2026-02-30, and the zone of this server. */
const dateOf = (given: string | number | Date): Date =>
  new Date(typeof given === 'string' ? (localTime(given, 'UTC') ?? NaN) : given);

/** A time in a request: ISO-8601, in UTC without an offset, or milliseconds since the epoch in JSON. */
export const Moment = z
  .custom<string | number | Date>(isWritten, { error })
  .meta({ type: 'string', format: 'date-time' })
  .transform(dateOf)
  .pipe(
    z
      .date({ error })
      .min(new Date(0))
      .max(new Date(Date.UTC(9999, 0))),
  )
  .transform((date) => date.getTime())
  .meta({ examples: ['2026-03-01T08:30:00Z'] });
