import { z } from 'zod';

export const UTC = 'UTC';

/** IANA name of a time zone, as `Intl` writes it: `europe/berlin` becomes `Europe/Berlin`. No bare offset: it has no summer time. */
export const TimeZone = z
  .string()
  .max(64)
  .transform((name, context) => {
    const zone = /^[A-Za-z]/.test(name) ? canonical(name) : undefined;
    if (zone !== undefined) return zone;
    context.addIssue('must be the IANA name of a time zone, such as Europe/Berlin');
    return z.NEVER;
  })
  .meta({ examples: ['Europe/Berlin'] });

function canonical(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * A moment as ISO-8601 with the offset of `zone` at that moment, to the second: `2026-11-22T04:00:59+01:00`; in UTC
 * `2026-11-22T03:00:59Z`. `at` is a Date, milliseconds since the epoch, or ISO-8601 with an offset.
 */
export function inZone(at: Date | number | string, zone: string = UTC): string {
  const instant =
    typeof at === 'string'
      ? Temporal.Instant.from(at)
      : Temporal.Instant.fromEpochMilliseconds(Math.trunc(Number(at)));
  const smallestUnit = 'second';
  return zone === UTC
    ? instant.toString({ smallestUnit })
    : instant.toString({ smallestUnit, timeZone: zone });
}
