import { setImmediate } from 'node:timers/promises';

import { BadRequest } from '../errors.ts';
import { onFirstUse } from '../first-use.ts';

const parsing = onFirstUse(() => import('csv-parse'));

/** Text that a spreadsheet program would evaluate as a formula (OWASP, CSV Injection), or that looks shielded. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const SHIELDED = /^'(?='*[=+\-@\t\r\n＝＋－＠])/;

/** A number is no formula, whatever its sign. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Tells spreadsheet programs that a table is UTF-8; `csvRows` takes it away. */
export const UTF8_MARK = '\uFEFF';

/**
 * CSV (RFC 4180) that opens in a spreadsheet as text and numbers: cells that look like formulas get an apostrophe,
 * which `csvRows` takes away.
 */
export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  // A spreadsheet program may split at a semicolon or a tab instead.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Bytes parsed at a time; other work runs in between. */
const SLICE_BYTES = 4 * 1024;
/** A longer row means that the table is broken. */
const MAX_ROW_BYTES = 256 * 1024;
const MAX_CELL = 4_096;

/**
 * What separates cells: semicolons or tabs where a first line has them and no comma, as spreadsheet programs write in
 * many countries.
 */
export const delimiterOf = (text: string): ',' | ';' | '\t' => {
  const titles = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  if (titles.includes(',')) return ',';
  if (titles.includes(';')) return ';';
  return titles.includes('\t') ? '\t' : ',';
};

/**
 * The rows of a CSV text (RFC 4180, cells separated by `,`, `;` or tabs) without empty lines and without the apostrophe of `formatCsv`; the
 * first row has the titles, and no row has more cells. Throws BadRequest for a quote without end, and above
 * the limits: `maxRows` rows, a row of 256 KiB, a cell of 4,096 characters. Yields to other work, however
 * long the text is.
 */
export async function* csvRows(text: string, maxRows: number): AsyncGenerator<string[]> {
  const { CsvError, Parser } = await parsing();
  await setImmediate();
  const bytes = Buffer.from(text);
  await setImmediate();
  let read = 0;
  let rows = 0;
  let rowsEnd = 0;
  let columns = 0;
  let ready: string[][] = [];
  let failed: Error | null = null;
  const take = (cells: string[]): null => {
    rows += 1;
    rowsEnd = read;
    if (rows > maxRows) throw new BadRequest(`The table has more than ${maxRows} rows`);
    columns ||= cells.length;
    if (cells.length > columns)
      throw new BadRequest(`Row ${rows} has more cells than there are titles`);
    if (cells.some((cell) => cell.length > MAX_CELL))
      throw new BadRequest(`Row ${rows} has a cell of more than ${MAX_CELL} characters`);
    ready.push(cells.map((cell) => cell.replace(SHIELDED, '')));
    return null;
  };
  const parser = new Parser({
    bom: true,
    delimiter: delimiterOf(text.slice(0, MAX_ROW_BYTES)),
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    on_record: take,
  });
  parser.on('error', (error) => {
    failed ??= error;
  });
  const broken = (error: Error): Error => {
    if (!(error instanceof CsvError)) return error;
    return error.code === 'CSV_MAX_RECORD_SIZE'
      ? tooLong(rows + 1)
      : new BadRequest(`The table is broken after row ${rows}`);
  };
  while (read < bytes.length) {
    const slice = bytes.subarray(read, read + SLICE_BYTES);
    read += slice.length;
    parser.write(slice);
    if (read === bytes.length) parser.end();
    await setImmediate();
    if (failed) throw broken(failed);
    if (read - rowsEnd > MAX_ROW_BYTES) throw tooLong(rows + 1);
    yield* ready;
    ready = [];
  }
}

const tooLong = (row: number) =>
  new BadRequest(`Row ${row} is longer than ${MAX_ROW_BYTES / 1024} KiB`);
