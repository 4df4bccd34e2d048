import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const FOLDER = 'docs/specification';

/** One promise of a chapter, with the test that proves it. */
type Statement = {
  /** The number of its rule, or the words in bold that it begins with. */
  key: string;
  text: string;
  file: string;
  name: string;
};

export type Section = {
  title: string;
  text: string;
  statements: readonly Statement[];
  /** List items that promise something and name no test. */
  unproved: readonly string[];
};

export type Chapter = {
  file: string;
  title: string;
  /** The prose between the title and the first section. */
  opening: string;
  sections: readonly Section[];
};

/** `3. text`, `- text`; a test follows in the next line. */
const ITEM = /^( *)(?:(\d+)\.|-) (.*)$/;
const TEST = /^ *→ `([^`]+)`: (.+)$/;

function sectionOf(part: string): Section {
  const [title = '', ...lines] = part.split('\n');
  const statements: Statement[] = [];
  const unproved: string[] = [];
  let rule = '';
  for (const [index, line] of lines.entries()) {
    const [, indent, number, text = ''] = ITEM.exec(line) ?? [];
    if (indent === undefined) continue;
    if (indent === '') rule = number ?? /^\*\*(.+?)\*\*/.exec(text)?.[1] ?? '';
    const [, file, name] = TEST.exec(lines[index + 1] ?? '') ?? [];
    const step = /^(\d+\.\d+): /.exec(text)?.[1];
    if (file !== undefined && name !== undefined)
      statements.push({ key: step ?? rule, text: text.replace(/\\$/, ''), file, name });
    else if (!ITEM.exec(lines[index + 1] ?? '')?.[1]) unproved.push(line);
  }
  return { title, text: part, statements, unproved };
}

function chapterOf(path: string): Chapter {
  const [head = '', ...parts] = readFileSync(path, 'utf8').split('\n## ');
  const [title = '', ...opening] = head.split('\n');
  return {
    file: basename(path),
    title: title.replace('# ', ''),
    opening: opening.join('\n').trim(),
    sections: parts.map(sectionOf),
  };
}

/** What the platform promises, chapter by chapter; README.md beside them is the table of contents. */
export const chapters: readonly Chapter[] = globSync(`${FOLDER}/*.md`)
  .toSorted()
  .filter((path) => basename(path) !== 'README.md')
  .map(chapterOf);

/** The rows of the tables of a section: their cells, without the head. */
export const rowsOf = ({ text }: Pick<Section, 'text'>): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .filter((_, index) => index > 1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
