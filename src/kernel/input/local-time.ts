const LOCAL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/;
/** Of a Date and of timestamptz. */
const LATEST = Date.UTC(9999, 0);

/**
 * A time that a person or a model wrote, in ms since the epoch: ISO-8601 with an offset, or without one in `zone`; a
 * date alone is its first moment. Null for anything else. Of an hour that comes twice, the first.
 */
export function localTime(text: string, zone: string): number | null {
  try {
    const at = LOCAL.test(text)
      ? Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(zone).epochMilliseconds
      : Temporal.Instant.from(text).epochMilliseconds;
    return at >= 0 && at <= LATEST ? at : null;
  } catch {
    return null;
  }
}
