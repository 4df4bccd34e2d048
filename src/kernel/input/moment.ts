import { z } from 'zod';

/** A time in a request: ISO-8601, or milliseconds since the epoch in JSON. */
export const Moment = z.coerce
  .date({ error: 'expected a time such as 2026-03-01T08:30:00Z' })
  .min(new Date(0))
  .max(new Date(Date.UTC(9999, 0)))
  .transform((date) => date.getTime())
  .meta({ examples: ['2026-03-01T08:30:00Z'] });
