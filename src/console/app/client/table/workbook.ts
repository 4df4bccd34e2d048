import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { strFromU8, unzipSync } from 'fflate';

/** Why a file is not a workbook that can be read. */
export class NotWorkbook extends Error {
  override readonly name = 'NotWorkbook';
}

/** The first sheet of a workbook as CSV (RFC 4180). Throws NotWorkbook. */
export async function csvOf(file: Blob): Promise<string> {
  const rows = rowsOf(new Uint8Array(await file.arrayBuffer()));
  return rows.map((row) => `${row.map(shielded).join(',')}\r\n`).join('');
}

function rowsOf(packed: Uint8Array): string[][] {
  try {
    return firstSheet(packed);
  } catch (error) {
    throw new NotWorkbook(error instanceof Error ? error.message : String(error));
  }
}

const shielded = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Largest part of a workbook, unpacked: a small file may hold very much. */
const MAX_PART_BYTES = 50_000_000;
const NEEDED = /^xl\/(workbook|sharedStrings|styles|_rels\/workbook\.xml|worksheets\/)/;
const WORKBOOK = 'xl/workbook.xml';
const MAX_SHEETS = 200;
/** Columns of a worksheet at most (ISO/IEC 29500: XFD). */
const MAX_COLUMNS = 16_384;

type Parts = Readonly<Record<string, Uint8Array>>;

/** The cells of the first worksheet, as `sheetsOf` has them. */
export function firstSheet(packed: Uint8Array): string[][] {
  const [sheet] = sheetsOf(packed, 1);
  if (!sheet) throw new Error('the workbook names no worksheet');
  return sheet.rows;
}

type Sheet = { name: string; rows: string[][] };

/**
 * The cells of the worksheets of an Office Open XML workbook (ISO/IEC 29500-1, 18.3) as texts, numbers as the file
 * writes them, dates in ISO 8601. Throws where the bytes are no such workbook.
 */
export function sheetsOf(packed: Uint8Array, most = MAX_SHEETS): Sheet[] {
  const parts = unzipSync(packed, {
    filter: ({ name, originalSize }) => NEEDED.test(name) && originalSize <= MAX_PART_BYTES,
  });
  const book = xmlOf(parts, WORKBOOK);
  if (!book) throw new Error(`${WORKBOOK} is missing`);
  const is1904 = /^(1|true)$/.test(first(book, 'workbookPr')?.attributes['date1904'] ?? '');
  const texts = all(xmlOf(parts, 'xl/sharedStrings.xml'), 'si').map(textOf);
  const dates = dateStyles(xmlOf(parts, 'xl/styles.xml'));
  const cellText = (cell: XmlElement): string => {
    const { t: type = 'n', s: style = '0' } = cell.attributes;
    if (type === 'inlineStr') return textOf(first(cell, 'is'));
    const value = first(cell, 'v')?.text ?? '';
    if (type === 's') return texts[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'true' : 'false';
    const isDate = type === 'n' && value !== '' && dates.has(Number(style));
    return isDate ? isoOf(Number(value), is1904) : value;
  };
  return placesIn(book, parts, most).map(({ name, place }) => {
    const sheet = xmlOf(parts, place);
    if (!sheet) throw new Error(`the worksheet ${name} is missing`);
    const rows = all(first(sheet, 'sheetData'), 'row').map((row) => {
      const cells: string[] = [];
      for (const cell of all(row, 'c')) cells[columnOf(cell, cells.length)] = cellText(cell);
      return Array.from(cells, (text) => text ?? '');
    });
    return { name, rows };
  });
}

/** Names of the sheets, and where the workbook's relationships say that they are. */
function placesIn(book: XmlElement, parts: Parts, most: number): { name: string; place: string }[] {
  const links = all(xmlOf(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship');
  const sheets = all(first(book, 'sheets'), 'sheet').slice(0, most);
  return sheets.flatMap(({ attributes }) => {
    const [, id] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
    const link = links.find((one) => one.attributes['Id'] === id)?.attributes;
    const target = link?.['Target'];
    // Sheets of charts and dialogs have no cells.
    if (target === undefined || !link?.['Type']?.endsWith('/worksheet')) return [];
    const place = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    return [{ name: attributes['name'] ?? '', place }];
  });
}

/** Numbers of the cell styles that show a number as a date. */
function dateStyles(styles: XmlElement | undefined): Set<number> {
  const own = new Map(
    all(first(styles, 'numFmts'), 'numFmt').map(({ attributes }) => [
      Number(attributes['numFmtId']),
      attributes['formatCode'] ?? '',
    ]),
  );
  return new Set(
    all(first(styles, 'cellXfs'), 'xf').flatMap(({ attributes }, style) => {
      const format = Number(attributes['numFmtId'] ?? 0);
      return isDateFormat(format, own.get(format)) ? [style] : [];
    }),
  );
}

/** From 0: of `C12` 2; a cell without a place follows the one before it. */
function columnOf({ attributes }: XmlElement, next: number): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(attributes['r'] ?? '')?.[0];
  if (letters === undefined) return next;
  const column =
    Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  if (column >= MAX_COLUMNS) throw new Error(`there is no column ${letters}`);
  return column;
}

/** All runs of a text, without its phonetic readings. */
function textOf(element: XmlElement | undefined): string {
  const runs = [element, ...all(element, 'r')];
  return runs.flatMap((run) => all(run, 't').map(({ text }) => text)).join('');
}

function xmlOf(parts: Parts, name: string): XmlElement | undefined {
  const bytes = parts[name];
  return bytes && (parseXml(strFromU8(bytes)).root ?? undefined);
}

/** The children of an element by their name without its prefix. */
const all = (parent: XmlElement | undefined, name: string): XmlElement[] =>
  (parent?.children ?? []).filter(
    (child): child is XmlElement =>
      child instanceof XmlElement && child.name.replace(/^.*:/, '') === name,
  );

const first = (parent: XmlElement | undefined, name: string): XmlElement | undefined =>
  all(parent, name)[0];

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
