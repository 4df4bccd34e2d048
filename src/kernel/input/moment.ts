import { z } from 'zod';

/** A text of another form is guessed by `Date`: it takes 10.11.2026 for the eleventh of October. */
const FORM = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const error = 'expected a time such as 2026-03-01T08:30:00Z';
const isWritten = (given: unknown): boolean =>
  typeof given === 'number' ||
  given instanceof Date ||
  (typeof given === 'string' && FORM.test(given));

/** A time in a request: ISO-8601, or milliseconds since the epoch in JSON. */
export const Moment = z
  .custom<string | number | Date>(isWritten, { error })
  .meta({ type: 'string', format: 'date-time' })
  .transform((given) => new Date(given))
  .pipe(
    z
      .date({ error })
      .min(new Date(0))
      .max(new Date(Date.UTC(9999, 0))),
  )
  .transform((date) => date.getTime())
  .meta({ examples: ['2026-03-01T08:30:00Z'] });
