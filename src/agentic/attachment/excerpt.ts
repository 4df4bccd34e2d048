import type { App } from '../../kernel/app/app.ts';
import type { Attachment } from './attachment.ts';
import { isPdf, isText } from './file-kind.ts';
import { readStored } from './file.ts';
import { textOfPdf } from './pdf/text.ts';
import { decoded } from './text-encoding.ts';
import { visibleText } from './visible-text.ts';

/** Characters: about 1,000 tokens of each text. */
const MAX_EXCERPT = 4_000;
/** A character of UTF-8 has at most four bytes. */
const MAX_BYTES_READ = 4 * MAX_EXCERPT;

/** `pages`: of a PDF. */
export type Excerpt = { excerpt?: string; isWhole?: boolean; pages?: number; problem?: string };
/** What the excerpts of a turn may still have: characters, and until when (`app.clock.elapsed`) PDFs are read. */
export type Left = { characters: number; until: number };

const GONE: Excerpt = { problem: 'the file is not there any more' };

/** The beginning of a text or PDF, or the sentence that says why there is none; {} for a file of another kind. */
export async function excerptOf(app: App, attachment: Attachment, left: Left): Promise<Excerpt> {
  const length = Math.max(0, Math.min(left.characters, MAX_EXCERPT));
  const { contentType, filePath, size } = attachment;
  if (isPdf(contentType)) return pdfExcerpt(app, attachment, length, left.until);
  if (!isText(contentType)) return {};
  const bytes = await readStored(app, filePath, MAX_BYTES_READ);
  if (bytes === null) return GONE;
  const text = decoded(bytes);
  const isWhole = size <= MAX_BYTES_READ && text.length <= length;
  return { excerpt: visibleText(text, length), isWhole };
}

async function pdfExcerpt(
  app: App,
  { filePath, size }: Attachment,
  length: number,
  until: number,
): Promise<Excerpt> {
  if (length === 0) return { excerpt: '', isWhole: false };
  const bytes = await readStored(app, filePath, size);
  if (bytes === null) return GONE;
  const read = await textOfPdf(app, bytes, { length, withinMs: until - app.clock.elapsed() });
  return 'problem' in read
    ? read
    : { ...read, excerpt: visibleText(read.excerpt.replaceAll('\f', '\n'), length) };
}
