const DAY_MS = 86_400_000;
/** Day 0 of the serial numbers; from March 1900 on they count a 29 February 1900 that never was. */
const SINCE_1900 = Date.UTC(1899, 11, 30);
const SINCE_1904 = Date.UTC(1904, 0, 1);
/** The serial numbers of the year 9999 end below it. */
const MAX_SERIAL = 2_958_466;

/**
 * Whether a number format shows dates or times: by its number where it is one of those that every workbook has
 * (ISO/IEC 29500-1, 18.8.30), by its code otherwise.
 */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) ||
      (id >= 27 && id <= 36) ||
      (id >= 45 && id <= 47) ||
      (id >= 50 && id <= 58)
    );
  // What is quoted, escaped, or names a colour or a locale is no part of the number.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\[(?![hms]+\])[^\]]*\]/gi, '');
  return /[dmyhs]/i.test(bare.split(';')[0] ?? '');
}

/** A serial number as ISO 8601 in UTC, the number itself where it is no date. */
export function isoOf(serial: number, is1904: boolean): string {
  if (!(serial >= 0 && serial < MAX_SERIAL)) return String(serial);
  const since = is1904 ? SINCE_1904 : SINCE_1900;
  return new Date(Math.round(since + serial * DAY_MS)).toISOString();
}
