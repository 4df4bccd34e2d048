import { BadRequest } from '../../kernel/errors.ts';
import { csvRows, delimiterOf } from '../../kernel/input/csv.ts';
import { expectTitles } from '../device/table.ts';
import { isIdentity } from '../driver/endpoint-claim.ts';
import { type Table, titlesOf } from './columns.ts';

/** Rows of a table, besides its titles. */
export const MAX_ROWS = 20_000;
/** Characters of a table. */
export const MAX_TABLE = 5 * 1024 * 1024;

export type Refusal = { column: string; reason: string };

/** A row of a table: its cells by title; `refused` where an earlier row has the same name, code or identity. */
export type Row = {
  /** The titles are row 1. */
  row: number;
  cells: ReadonlyMap<string, string>;
  refused: Refusal | null;
};

/** Reads a whole table (CSV). Throws BadRequest and Unprocessable for one that is broken, has wrong titles or too many rows. */
export async function rowsIn(csv: string, table: Table): Promise<Row[]> {
  // What a decoder puts in place of bytes that are no UTF-8: such a table would change texts silently.
  if (csv.includes('\uFFFD'))
    throw new BadRequest('The table is not UTF-8: save it as CSV UTF-8 or as a workbook (XLSX)');
  const unique = uniqueOf(table);
  const written = delimiterOf(csv.slice(0, MAX_TITLES)) === ',' ? asWritten : withPoint(table);
  const rows: Row[] = [];
  let titles: string[] | null = null;
  for await (const cells of csvRows(csv, MAX_ROWS + 1)) {
    if (!titles) {
      titles = cells;
      expectTitles(titles, new Set(titlesOf(table)));
      continue;
    }
    const row = rows.length + 2;
    const filled = titles.flatMap((title, index): [string, string][] =>
      cells[index] ? [[title, written(title, cells[index])]] : [],
    );
    rows.push({ row, cells: new Map(filled), refused: unique(row, filled) });
  }
  if (!titles) throw new BadRequest('The table has no column deviceName');
  return rows;
}

/** Where the separator of a table is looked for. */
const MAX_TITLES = 256 * 1024;
const NUMBERS: readonly string[] = ['FLOAT', 'DOUBLE'];

const asWritten = (_title: string, text: string): string => text;

/** Where no comma separates cells, it may be that of a decimal: in columns of numbers it is one. */
function withPoint({ columns }: Table): (title: string, text: string) => string {
  const numbers = new Set(
    columns.flatMap(({ title, attribute }) =>
      NUMBERS.includes(attribute.attributeTypeFlag) ? [title] : [],
    ),
  );
  return (title, text) =>
    numbers.has(title) && /^\s*[+-]?\d+,\d+\s*$/.test(text) ? text.replace(',', '.') : text;
}

/** Finds values that may be in one row only. */
function uniqueOf({ columns }: Table) {
  const identities = columns.filter(({ attribute, point }) => !point && isIdentity(attribute));
  const titles = ['deviceName', 'deviceCode', ...identities.map(({ title }) => title)];
  const seen = new Map(titles.map((title) => [title, new Map<string, number>()]));
  return (row: number, cells: readonly [string, string][]): Refusal | null => {
    for (const [title, text] of cells) {
      const rows = seen.get(title);
      const key = text.normalize('NFC');
      const earlier = rows?.get(key);
      if (earlier !== undefined) return { column: title, reason: `Row ${earlier} has the same` };
      rows?.set(key, row);
    }
    return null;
  };
}
