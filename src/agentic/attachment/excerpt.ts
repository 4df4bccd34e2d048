import type { App } from '../../kernel/app/app.ts';
import { formatOf, isText } from '../document/file-kind.ts';
import { textApart, type Format } from '../document/read.ts';
import { decoded } from '../document/text-encoding.ts';
import { visibleText } from '../document/visible-text.ts';
import type { Attachment } from './attachment.ts';
import { readStored } from './file.ts';

/** Characters: about 1,000 tokens of each text. */
const MAX_EXCERPT = 4_000;
/** A character of UTF-8 has at most four bytes. */
const MAX_BYTES_READ = 4 * MAX_EXCERPT;

/** `pages`: of a file that has some. */
export type Excerpt = { excerpt?: string; isWhole?: boolean; pages?: number; problem?: string };
/** What the excerpts of a turn may still have: characters, and until when (`app.clock.elapsed`) documents are read. */
export type Left = { characters: number; until: number };

const GONE: Excerpt = { problem: 'the file is not there any more' };

/** The beginning of a text or document, or the sentence that says why there is none; {} for a file of another kind. */
export async function excerptOf(app: App, attachment: Attachment, left: Left): Promise<Excerpt> {
  const length = Math.max(0, Math.min(left.characters, MAX_EXCERPT));
  const { contentType, filePath, size } = attachment;
  const format = formatOf(contentType);
  if (format) return excerptApart(app, { ...attachment, format }, length, left.until);
  if (!isText(contentType)) return {};
  const bytes = await readStored(app, filePath, MAX_BYTES_READ);
  if (bytes === null) return GONE;
  const text = decoded(bytes);
  const isWhole = size <= MAX_BYTES_READ && text.length <= length;
  return { excerpt: visibleText(text, length), isWhole };
}

async function excerptApart(
  app: App,
  { filePath, size, format }: Attachment & { format: Format },
  length: number,
  until: number,
): Promise<Excerpt> {
  if (length === 0) return { excerpt: '', isWhole: false };
  const bytes = await readStored(app, filePath, size);
  if (bytes === null) return GONE;
  const read = await textApart(
    app,
    { bytes, format },
    { length, withinMs: until - app.clock.elapsed() },
  );
  return 'problem' in read
    ? read
    : { ...read, excerpt: visibleText(read.excerpt.replaceAll('\f', '\n'), length) };
}
