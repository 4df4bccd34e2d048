import { sql } from 'kysely';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Pages } from '../document/pages.ts';
import { Attachment } from './attachment.ts';
import { pagesAttached } from './pages.ts';

/** Files that one search reads. */
const MAX_FILES = 5;
const MAX_FOUND = 5;
const MAX_WORDS = 12;
/** Characters around a word, and of a page that is read. */
const AROUND = 200;
const MAX_TEXT = 3_000;

/** What to read: pages with these words, or one page from a character on. */
export type Wanted = {
  /** Name or id of a file; '': any of the conversation. */
  file: string;
  words: string;
  page: number | null;
  from: number;
};

/** Files with what was found, or the page that was read. */
export type FileRead = {
  files: {
    id: string;
    fileName: string;
    pages: number;
    isWhole: boolean;
    problem: string | null;
  }[];
  found: { fileName: string; page: number; excerpt: string }[];
  text: string | null;
  /** Where the page goes on; null: it ends here. */
  more: number | null;
};

/**
 * Searches attached files by words, best pages first, or reads a page of one; without words and page, lists the files. A
 * model reads the files of its conversation alone, another caller all files that the caller attached. Throws NotFound for
 * a file or page that does not exist.
 */
export async function readFiles(app: App, caller: Caller, wanted: Wanted): Promise<FileRead> {
  const rows = await filesOf(app, caller, wanted.file);
  const [first] = rows;
  if (!first && (wanted.file !== '' || wanted.page !== null)) throw new NotFound('File');
  if (first && wanted.page !== null) return readPage(app, first, wanted.page, wanted.from);
  const all = await Promise.all(
    rows.map(async (row) => ({ row, pages: await pagesAttached(app, row) })),
  );
  const files = all.map(({ row, pages }) => describe(row, pages));
  const sheets = all.flatMap(({ row, pages }) =>
    'problem' in pages
      ? []
      : pages.pages.map((text, at) => ({ fileName: row.fileName, page: at + 1, text })),
  );
  return { files, found: bestOf(sheets, wordsIn(wanted.words)), text: null, more: null };
}

const filesOf = (app: App, caller: Caller, file: string): Promise<Attachment[]> =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const own = q
      .selectFrom('svc_attachment')
      .selectAll()
      .where('tenantId', '=', caller.tenantId)
      .where('userId', '=', caller.principalId)
      .orderBy('id', 'desc')
      .limit(MAX_FILES);
    const inReach =
      caller.via === 'model' ? own.where('conversationId', '=', caller.clientId ?? '') : own;
    const name = file.trim().toLowerCase();
    const named =
      name === ''
        ? inReach
        : inReach.where(
            sql<boolean>`(id::text = ${name} or position(${name} in lower(file_name)) > 0)`,
          );
    return (await named.execute()).map(Attachment.of);
  });

const describe = ({ id, fileName }: Attachment, pages: Pages) => ({
  id,
  fileName,
  pages: 'problem' in pages ? 0 : pages.pages.length,
  isWhole: 'problem' in pages ? false : pages.isWhole,
  problem: 'problem' in pages ? pages.problem : null,
});

async function readPage(app: App, row: Attachment, page: number, from: number): Promise<FileRead> {
  const pages = await pagesAttached(app, row);
  const files = [describe(row, pages)];
  if ('problem' in pages) return { files, found: [], text: null, more: null };
  const whole = pages.pages[page - 1];
  if (whole === undefined) throw new NotFound(`Page ${page} of ${pages.pages.length}`);
  const end = from + MAX_TEXT;
  return {
    files,
    found: [],
    text: whole.slice(from, end).toWellFormed(),
    more: end < whole.length ? end : null,
  };
}

const wordsIn = (text: string): string[] =>
  [
    ...new Set(
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ].slice(0, MAX_WORDS);

type Sheet = { fileName: string; page: number; text: string };

/** The pages with the most and rarest of the words; words of more than three characters may have endings. */
function bestOf(sheets: readonly Sheet[], words: readonly string[]): FileRead['found'] {
  const counted = sheets.map((sheet) => {
    const plain = sheet.text.normalize('NFKC').toLowerCase();
    return { sheet, counts: words.map((word) => timesIn(plain, word)) };
  });
  const weights = words.map((_, at) => {
    const pages = counted.filter(({ counts }) => (counts[at] ?? 0) > 0).length;
    return pages === 0 ? 0 : Math.log(1 + sheets.length / pages);
  });
  const score = (counts: readonly number[]): number =>
    counts.reduce((sum, count, at) => sum + (weights[at] ?? 0) * (count / (count + 1)), 0);
  return counted
    .map(({ sheet, counts }) => ({ sheet, counts, points: score(counts) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points || a.sheet.page - b.sheet.page)
    .slice(0, MAX_FOUND)
    .map(({ sheet: { fileName, page, text }, counts }) => {
      const rarest = words
        .map((word, at) => ({ word, weight: (counts[at] ?? 0) > 0 ? (weights[at] ?? 0) : -1 }))
        .toSorted((a, b) => b.weight - a.weight)[0];
      return { fileName, page, excerpt: excerptOf(text, rarest?.word ?? '') };
    });
}

/** Most pages have not got a word: to look for its signs alone is far faster. */
const timesIn = (plain: string, word: string): number =>
  plain.includes(word) ? (plain.match(patternOf(word))?.length ?? 0) : 0;

const LETTERS = String.raw`[\p{L}\p{N}]`;
/** Scripts without blanks between words are searched for as they are. */
const patternOf = (word: string): RegExp =>
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u.test(word)
    ? new RegExp(word, 'gu')
    : new RegExp(`(?<!${LETTERS})${word}${word.length > 3 ? '' : `(?!${LETTERS})`}`, 'gu');

function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().search(patternOf(word)));
  return text.slice(Math.max(0, at - AROUND), at + AROUND).toWellFormed();
}
