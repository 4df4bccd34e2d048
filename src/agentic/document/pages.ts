import type { App } from '../../kernel/app/app.ts';
import { formatOf, isText } from './file-kind.ts';
import { type Format, textApart } from './read.ts';
import { decoded } from './text-encoding.ts';
import { visibleText } from './visible-text.ts';

/** Characters of a file that are read; about 500 pages of a manual. */
const MAX_TEXT = 1_500_000;
/** Characters of a part of a text, which ends with a line. */
const PART = 3_000;
/** Of the line with the names of columns, which each part of a table begins with. */
const MAX_HEAD = 500;
const MAX_READING_MS = 10_000;

/** The pages of a document, or parts of a text; or the sentence that says why there are none. */
export type Pages = { pages: readonly string[]; isWhole: boolean } | { problem: string };

/**
 * The pages of a document, the parts of a text or table, as far as they are read: PDF as it is laid out, DOCX as Word last
 * laid it out (in parts where it did not), XLSX sheet by sheet in parts of rows. Never throws for the contents.
 */
export async function pagesOf(
  app: Pick<App, 'clock' | 'log' | 'of'>,
  bytes: Buffer,
  contentType: string,
): Promise<Pages> {
  const format = formatOf(contentType);
  if (format) return ofFormat(app, bytes, format);
  if (!isText(contentType)) return { problem: 'it has no text' };
  const text = decoded(bytes);
  return { pages: partsOf(text, contentType === 'text/csv'), isWhole: text.length <= MAX_TEXT };
}

async function ofFormat(
  app: Pick<App, 'clock' | 'log' | 'of'>,
  bytes: Buffer,
  format: Format,
): Promise<Pages> {
  const limits = { length: MAX_TEXT, withinMs: 2 * MAX_READING_MS, mostMs: MAX_READING_MS };
  const read = await textApart(app, { bytes, format }, limits);
  if ('problem' in read) return read;
  const { excerpt, isWhole } = read;
  const pages = excerpt.split('\f').map((page) => visibleText(page, MAX_TEXT));
  const [only = '', another] = pages;
  const isLaidOut = format !== 'docx' || another !== undefined;
  return { pages: isLaidOut ? pages : partsOf(only, false), isWhole };
}

/** Parts that end with a line; those of a table begin with its first line. */
function partsOf(text: string, isTable: boolean): string[] {
  const lines = visibleText(text, MAX_TEXT).split(/(?<=\n)/);
  const head = isTable && (lines[0]?.length ?? 0) <= MAX_HEAD ? (lines[0] ?? '') : '';
  const parts: string[] = [];
  let part = '';
  for (const line of lines) {
    if (part !== '' && part.length + line.length > PART) {
      parts.push(part);
      part = head;
    }
    part += line;
  }
  return [...parts, part];
}
