import { strFromU8, unzipSync } from 'fflate';

import { sheetsOf } from '../../console/app/client/table/workbook.ts';
import type { Read } from './read.ts';

const DOCUMENT = 'word/document.xml';
/** Of the part that has the text, unpacked: a small file may say that it holds very much. */
const MAX_PART_BYTES = 24 * 1024 * 1024;
/** Characters of the rows of a sheet in one part of it. */
const PART = 3_000;

/** The text of an Office Open XML document or workbook (ISO/IEC 29500-1); what it refers to is not fetched. */
export function readOffice(bytes: Uint8Array, format: string, length: number): Read {
  try {
    const pages = (format === 'xlsx' ? partsOfSheets : pagesOfDocument)(bytes);
    const text = pages.join('\f').trimEnd();
    return { text: text.slice(0, length), pages: pages.length, isWhole: text.length <= length };
  } catch {
    return { problem: 'broken' };
  }
}

/** Rows of each sheet, each part with the name of its sheet and its first row, which mostly names the columns. */
function partsOfSheets(bytes: Uint8Array): string[] {
  return sheetsOf(bytes).flatMap(({ name, rows }) => {
    const lines = rows.map((cells) => plain(cells.join('\t')).trimEnd());
    const [head = '', ...rest] = lines;
    const parts: string[] = [];
    let part = '';
    for (const line of rest) {
      if (line === '') continue;
      if (part !== '' && part.length + line.length > PART) {
        parts.push(part);
        part = '';
      }
      part += `${line}\n`;
    }
    if (part !== '' || parts.length === 0) parts.push(part);
    if (head === '' && parts.every((one) => one === '')) return [];
    return parts.map((one) => `${plain(name)}\n${head}\n${one}`);
  });
}

const TOKEN = /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s[^<>]*)?)>|([^<]+)/g;
/** Elements without a text of the document: what was moved away, what stands for what was read already. */
const SKIPPED = /^(?:Fallback|moveFrom|rPr|instrText)$/;
const IS_PAGE = /(?:^|[\s:])type="page"/;
const IS_OFF = /val="(?:0|false|off)"/;

/** Pages as Word last laid the document out, and where the document itself begins one (17.3.3.1, 17.3.3.13). */
function pagesOfDocument(bytes: Uint8Array): string[] {
  const part = unzipSync(bytes, {
    filter: ({ name, originalSize }) => name === DOCUMENT && originalSize <= MAX_PART_BYTES,
  })[DOCUMENT];
  if (!part) throw new Error(`${DOCUMENT} is missing or too large`);
  const xml = strFromU8(part);
  if (xml.includes('<!DOCTYPE')) throw new Error('a document has no type declaration');
  return new Layout().pagesOf(xml);
}

class Layout {
  #pages: string[] = [];
  #page = '';
  #skipped = 0;
  #cells = 0;
  #properties = 0;
  #isText = false;

  pagesOf(xml: string): string[] {
    for (const [, close, name, attributes = '', text] of xml.matchAll(TOKEN)) {
      if (text !== undefined) {
        if (this.#isText && this.#skipped === 0) this.#page += plain(unescaped(text));
      } else if (name !== undefined) {
        const isEmpty = attributes.endsWith('/');
        if (close === '') this.#open(name, attributes, isEmpty);
        else this.#close(name);
      }
    }
    this.#break();
    return this.#pages;
  }

  #open(name: string, attributes: string, isEmpty: boolean): void {
    if (SKIPPED.test(name) && !isEmpty) this.#skipped += 1;
    if (this.#skipped > 0) return;
    if (name === 'pageBreakBefore' && !IS_OFF.test(attributes)) this.#break();
    if (name === 'pPr' && !isEmpty) this.#properties += 1;
    if (this.#properties > 0) return;
    if (name === 't') this.#isText = !isEmpty;
    else if (name === 'tc') this.#cells += isEmpty ? 0 : 1;
    else if (name === 'tab') this.#page += '\t';
    else if (name === 'lastRenderedPageBreak') this.#break();
    else if (name === 'br' && IS_PAGE.test(attributes)) this.#break();
    else if (name === 'br' || name === 'cr') this.#page += '\n';
  }

  #close(name: string): void {
    if (SKIPPED.test(name)) this.#skipped = Math.max(0, this.#skipped - 1);
    else if (name === 'pPr') this.#properties = Math.max(0, this.#properties - 1);
    else if (name === 't') this.#isText = false;
    else if (name === 'tc') {
      this.#cells = Math.max(0, this.#cells - 1);
      this.#page += '\t';
    } else if (name === 'tr') this.#page += '\n';
    else if (name === 'p') this.#page += this.#cells > 0 ? ' ' : '\n';
  }

  /** Word notes a break of the document and its own at the same place: an empty page is none. */
  #break(): void {
    if (this.#page.trim() === '') return;
    this.#pages.push(this.#page);
    this.#page = '';
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The five entities of XML and numbers of characters; others are left as they are. */
const unescaped = (text: string): string =>
  text.replaceAll(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (all, hex, dec, name) => {
      if (name) return ENTITIES[String(name).toLowerCase()] ?? all;
      const code = hex ? Number.parseInt(hex, 16) : Number(dec);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\u{FFFD}';
    },
  );

/** The sign that parts pages is of no page. */
const plain = (text: string): string => text.replaceAll('\f', ' ');
