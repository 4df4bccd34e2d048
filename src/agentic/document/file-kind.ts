import type { Format } from './read.ts';
import { isTextual } from './text-encoding.ts';

/** Leading bytes of each accepted type; the content type given by the sender is ignored. */
const MAGIC: readonly { type: string; at: number; bytes: string }[][] = [
  [{ type: 'image/png', at: 0, bytes: '\x89PNG\r\n\x1a\n' }],
  [{ type: 'image/jpeg', at: 0, bytes: '\xff\xd8\xff' }],
  [{ type: 'image/gif', at: 0, bytes: 'GIF87a' }],
  [{ type: 'image/gif', at: 0, bytes: 'GIF89a' }],
  [
    { type: 'image/webp', at: 0, bytes: 'RIFF' },
    { type: 'image/webp', at: 8, bytes: 'WEBP' },
  ],
  [{ type: 'application/pdf', at: 0, bytes: '%PDF-' }],
];

/** Kinds of text differ only by the ending of the file name. */
const TEXT_BY_ENDING: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
  markdown: 'text/markdown',
};
const TEXT = 'text/plain';

export const isText = (contentType: string): boolean =>
  contentType === TEXT || Object.values(TEXT_BY_ENDING).includes(contentType);

const OFFICE = 'application/vnd.openxmlformats-officedocument';
/** Formats that are read in another process, by their content type. */
const FORMATS: Readonly<Record<string, Format>> = {
  'application/pdf': 'pdf',
  [`${OFFICE}.wordprocessingml.document`]: 'docx',
  [`${OFFICE}.spreadsheetml.sheet`]: 'xlsx',
};
/** The part that makes an archive a document or a workbook; the names of parts are never packed. */
const PARTS = { docx: 'word/document.xml', xlsx: 'xl/workbook.xml' } as const;

/** The format of a file that is read in another process; null for texts and images. */
export const formatOf = (contentType: string): Format | null => FORMATS[contentType] ?? null;

const WITH_TEXT =
  'PDF, DOCX, XLSX and text (plain, CSV, JSON, Markdown) in UTF-8, UTF-16, GBK or windows-1252';

/** Accepted types, for error messages. */
export const TAKEN = `PNG, JPEG, GIF, WebP, ${WITH_TEXT}`;
/** Accepted types of what is read as text. */
export const TAKEN_AS_TEXT = WITH_TEXT;

/** Content type by the bytes of a file, for texts by its name; null for a type that is not accepted. */
export function contentTypeOf(bytes: Buffer, fileName: string): string | null {
  for (const marks of MAGIC) {
    const isAll = marks.every(
      ({ at, bytes: mark }) => bytes.toString('latin1', at, at + mark.length) === mark,
    );
    if (isAll) return marks[0]?.type ?? null;
  }
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04') return officeTypeOf(bytes);
  if (!isTextual(bytes)) return null;
  const ending = /\.([a-z]{1,8})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return TEXT_BY_ENDING[ending] ?? TEXT;
}

function officeTypeOf(bytes: Buffer): string | null {
  const isIn = (format: string): boolean =>
    (format === 'docx' || format === 'xlsx') && bytes.includes(PARTS[format]);
  return Object.entries(FORMATS).find(([, format]) => isIn(format))?.[0] ?? null;
}
