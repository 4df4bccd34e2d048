import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import type { Attachment } from './attachment.ts';
import { isPdf, isText } from './file-kind.ts';
import { readStored } from './file.ts';
import { textOfPdf } from './pdf/text.ts';
import { decoded } from './text-encoding.ts';
import { visibleText } from './visible-text.ts';

/** Characters of a file that are read; about 500 pages of a manual. */
const MAX_TEXT = 1_500_000;
/** Characters of a part of a text, which ends with a line. */
const PART = 3_000;
const MAX_READING_MS = 10_000;
const MAX_KEPT = 8;

/** The pages of a PDF, or parts of a text; or the sentence that says why there are none. */
export type Pages = { pages: readonly string[]; isWhole: boolean } | { problem: string };

/** By the name of the stored file, which never changes: what was read last. */
const READ = slot((): Map<string, Pages> => new Map());

/** All pages of a PDF or parts of a text, as far as they are read; images have none. */
export async function pagesOf(app: App, attachment: Attachment): Promise<Pages> {
  const { filePath, contentType, size } = attachment;
  if (!isPdf(contentType) && !isText(contentType)) return { problem: 'it has no text' };
  const known = app.of(READ).get(filePath);
  const bytes = known ? null : await readStored(app, filePath, size);
  if (!known && bytes === null) return { problem: 'the file is not there any more' };
  const pages =
    known ?? (isPdf(contentType) ? await ofPdf(app, bytes) : partsOf(decoded(bytes ?? EMPTY)));
  keep(app.of(READ), filePath, pages);
  return pages;
}

const EMPTY = Buffer.alloc(0);

async function ofPdf(app: App, bytes: Buffer | null): Promise<Pages> {
  const limits = { length: MAX_TEXT, withinMs: MAX_READING_MS, mostMs: MAX_READING_MS };
  const read = await textOfPdf(app, bytes ?? EMPTY, limits);
  if ('problem' in read) return read;
  const { excerpt, isWhole } = read;
  return { pages: excerpt.split('\f').map((page) => visibleText(page, MAX_TEXT)), isWhole };
}

function partsOf(text: string): Pages {
  const pages: string[] = [];
  let part = '';
  for (const line of visibleText(text, MAX_TEXT).split(/(?<=\n)/)) {
    if (part !== '' && part.length + line.length > PART) {
      pages.push(part);
      part = '';
    }
    part += line;
  }
  return { pages: [...pages, part], isWhole: text.length <= MAX_TEXT };
}

/** A problem may pass, as that of a queue which was full. */
function keep(read: Map<string, Pages>, filePath: string, pages: Pages): void {
  read.delete(filePath);
  if ('problem' in pages) return;
  read.set(filePath, pages);
  const [oldest] = read.keys();
  if (read.size > MAX_KEPT && oldest !== undefined) read.delete(oldest);
}
