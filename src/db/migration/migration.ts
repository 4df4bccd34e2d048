import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const SQL_DIRECTORY = new URL('../../../sql/', import.meta.url);
/** Marks a migration that an older version of the code can work with, for example an index. */
const COMPATIBLE = /^--! compatible\b/;
/** Marks what the migrations up to 0240 added up to, one file for each area. */
const BASELINE = /^--! baseline\b/;

/** A file of `sql/`: its digest is SHA-256 (hex) of its text with LF line ends. */
export type Migration = {
  name: string;
  text: string;
  sha256: string;
  compatible: boolean;
  baseline: boolean;
};

/** The numbered files of `sql/` in their order. Throws for a number that two of them have. */
export function migrations(): Migration[] {
  const files = readdirSync(SQL_DIRECTORY)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .toSorted();
  demandUniqueNumbers(files);
  return files.map((name) => {
    const text = readFileSync(new URL(name, SQL_DIRECTORY), 'utf8').replaceAll('\r\n', '\n');
    const sha256 = createHash('sha256').update(text).digest('hex');
    return {
      name,
      text,
      sha256,
      compatible: COMPATIBLE.test(text),
      baseline: BASELINE.test(text),
    };
  });
}

function demandUniqueNumbers(files: readonly string[]): void {
  const twice = files.filter((file, index) => numberOf(files[index - 1] ?? '') === numberOf(file));
  if (twice.length > 0)
    throw new Error(`Two migrations have the number of ${twice.join(', ')}; give it the next one`);
}

export const numberOf = (name: string): string => name.slice(0, 4);
