import { getDocumentProxy } from 'unpdf';

import type { Read } from './read.ts';

/** A page without text costs as much as one with it. */
const MAX_PAGES = 200;
/** Of a PDF that is read whole. */
const MAX_PAGES_WHOLE = 1_000;
const WHOLE = 100_000;

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The text of a PDF, page by page. */
export async function readPdf(bytes: Uint8Array, length: number): Promise<Read> {
  try {
    return await textIn(await getDocumentProxy(bytes, { verbosity: 0 }), length);
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    return { problem: isProtected ? 'protected' : 'broken' };
  }
}

async function textIn(document: Document, length: number): Promise<Read> {
  let text = '';
  let at = 1;
  const most = length > WHOLE ? MAX_PAGES_WHOLE : MAX_PAGES;
  for (; at <= Math.min(document.numPages, most) && text.length <= length; at += 1) {
    const page = await document.getPage(at);
    // A page is read in pieces: it can hold far more than is wanted of it. The thread ends with what is left of them.
    for await (const { items } of page.streamTextContent().values({ preventCancel: true })) {
      for (const item of items)
        if ('str' in item) text += plain(item.str) + (item.hasEOL ? '\n' : '');
      if (text.length > length) break;
    }
    text += '\f';
    page.cleanup();
  }
  const isWhole = at > document.numPages && text.trimEnd().length <= length;
  return { text: text.trimEnd().slice(0, length), pages: document.numPages, isWhole };
}

/** The sign that parts pages is of no page. */
const plain = (text: string): string => text.replaceAll('\f', ' ');
