/** A piece of a line. `to` is a page of the console. */
export type Piece =
  | { is: 'text' | 'strong' | 'code'; text: string }
  | { is: 'link'; text: string; to: string };

export type Block =
  | { is: 'paragraph' | 'heading'; lines: string[] }
  | { is: 'bullets' | 'numbers' | 'quote'; lines: string[] }
  /** The names of its columns, then its rows; `cellsOf` splits them. */
  | { is: 'table'; lines: string[] }
  | { is: 'code'; lines: string[] };

const FENCE = /^\s{0,3}```/;
const BULLET = /^\s*[-*+] +(.*)$/;
const NUMBER = /^\s*\d{1,9}[.)] +(.*)$/;
const HEADING = /^\s{0,3}#{1,6} +(.*)$/;
const QUOTE = /^\s{0,3}>+ ?(.*)$/;
const MAX_CELLS = 30;

/** The cells of a row of a table. */
export const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/, MAX_CELLS)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** The line below the names of columns. */
const isRule = (line: string): boolean =>
  line.includes('|') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));

/** Splits a text of a model into blocks: paragraphs, headings, lists, quotes, tables and code; anything else is a paragraph. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isCode = false;
  let isNew = true;
  const add = (is: Block['is'], line: string, joins: boolean): void => {
    const last = blocks.at(-1);
    if (joins && !isNew && last?.is === is) last.lines.push(line);
    else blocks.push({ is, lines: [line] });
    isNew = false;
  };
  const lines = text.split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    if (FENCE.test(line)) {
      isCode = !isCode;
      if (isCode) blocks.push({ is: 'code', lines: [] });
      isNew = !isCode;
      continue;
    }
    if (isCode) {
      blocks.at(-1)?.lines.push(line);
      continue;
    }
    const [bullet, number, heading, quote] = [BULLET, NUMBER, HEADING, QUOTE].map(
      (form) => form.exec(line)?.[1],
    );
    const isRow = !isNew && blocks.at(-1)?.is === 'table' && line.includes('|');
    if (line.trim() === '') isNew = true;
    else if (isRow) {
      if (!isRule(line)) add('table', line, true);
    } else if (line.includes('|') && isRule(lines[at + 1] ?? '')) add('table', line, false);
    else if (quote !== undefined) add('quote', quote, true);
    else if (bullet !== undefined) add('bullets', bullet, true);
    else if (number !== undefined) add('numbers', number, true);
    else if (heading !== undefined) add('heading', heading, false);
    else add('paragraph', line, true);
  }
  return blocks;
}

/** Bounded: a text may be anything, and takes no longer for it. */
const PIECE =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|\[([^[\]\n]{1,200})\]\(([^()\s]{1,500})\)/g;

/** Bold, code and links of a line. A link that leads out of the console at `origin` is a text with its address. */
export function piecesOf(line: string, origin: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const text = (until: number): void => {
    if (until > at) pieces.push({ is: 'text', text: line.slice(at, until) });
  };
  for (const found of line.matchAll(PIECE)) {
    text(found.index);
    const [whole, code, strong, label = '', address = ''] = found;
    const to = pageAt(address, origin);
    if (code !== undefined) pieces.push({ is: 'code', text: code });
    else if (strong !== undefined) pieces.push({ is: 'strong', text: strong });
    else if (to !== null) pieces.push({ is: 'link', text: label, to });
    else pieces.push({ is: 'text', text: `${label} (${address})` });
    at = found.index + whole.length;
  }
  text(line.length);
  return pieces;
}

const PAGES = /^\/console(\/.*)?$/;

/** The page of the console at an address; null for any other. */
function pageAt(address: string, origin: string): string | null {
  const url = URL.parse(address, origin);
  if (url === null || url.origin !== origin) return null;
  const path = PAGES.exec(url.pathname);
  return path === null ? null : `${path[1] ?? '/'}${url.search}`;
}
