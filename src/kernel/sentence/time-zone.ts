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

const IN_UTC = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z/g;
/** One that has it all, with seconds, as the platform writes it. */
const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** A sentence of the platform with its times as `inZone` writes them; what it quotes of others stays as it is. */
export const sentenceInZone = (sentence: string, zone: string = UTC): string =>
  zone === UTC
    ? sentence
    : sentence.replaceAll(/“[^”]*”?|[^“]+/g, (part) =>
        part.startsWith('“') ? part : part.replaceAll(IN_UTC, (at) => inZone(at, zone)),
      );

/** A field of the platform: a moment in UTC as `inZone` writes it, anything else unchanged. */
export const fieldInZone = (field: string, zone: string = UTC): string =>
  WHOLE.test(field) ? inZone(field, zone) : field;
