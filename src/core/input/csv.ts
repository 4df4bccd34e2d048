import { BadRequest } from '../errors.ts';

/** What a spreadsheet program would take for a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const SHIELDED = /^'(?=[=+\-@\t\r])/;

/** CSV (RFC 4180) that opens in a spreadsheet as text: cells that look like formulas get an apostrophe. */
export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * The rows of a CSV text, empty lines left out, the apostrophe of `formatCsv` taken off again. Throws
 * BadRequest for a quote that does not end and for more than `maxRows` rows.
 */
export function parseCsv(text: string, maxRows: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const endRow = (): void => {
    if (row.length > 1 || row[0] !== '') rows.push(row);
    if (rows.length > maxRows) throw new BadRequest(`The table has more than ${maxRows} rows`);
    row = [];
  };
  // A cell and what ends it, one after the other; `y` leaves no character out.
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  const from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let at = from; at <= text.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const match = cell.exec(text);
    if (!match) throw new BadRequest(`The table is broken after row ${rows.length}`);
    const [, quoted, plain = '', end] = match;
    row.push((quoted?.replaceAll('""', '"') ?? plain).replace(SHIELDED, ''));
    if (end === ',') continue;
    endRow();
    if (cell.lastIndex >= text.length) return rows;
  }
  return rows;
}
