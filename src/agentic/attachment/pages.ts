import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { type Pages, pagesOf } from '../document/pages.ts';
import type { Attachment } from './attachment.ts';
import { readStored } from './file.ts';

const MAX_KEPT = 8;

/** By the name of the stored file, which never changes: what was read last. */
const READ = slot((): Map<string, Pages> => new Map());

/** All pages of an attached document or parts of a text, as far as they are read; images have none. */
export async function pagesAttached(
  app: App,
  { filePath, contentType, size }: Attachment,
): Promise<Pages> {
  const known = app.of(READ).get(filePath);
  const bytes = known ? null : await readStored(app, filePath, size);
  if (!known && bytes === null) return { problem: 'the file is not there any more' };
  const pages = known ?? (await pagesOf(app, bytes ?? EMPTY, contentType));
  keep(app.of(READ), filePath, pages);
  return pages;
}

const EMPTY = Buffer.alloc(0);

/** A problem may pass, as that of a queue which was full. */
function keep(read: Map<string, Pages>, filePath: string, pages: Pages): void {
  read.delete(filePath);
  if ('problem' in pages) return;
  read.set(filePath, pages);
  const [oldest] = read.keys();
  if (read.size > MAX_KEPT && oldest !== undefined) read.delete(oldest);
}
