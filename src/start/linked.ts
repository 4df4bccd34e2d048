import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isAlive, type ProcessIdentity, thisProcess } from '../kernel/process/process-identity.ts';

/** In the folder of a linked program: a file for each process that runs it, which loads parts of it at their first use. */
const HOLDERS = 'holders';

/** The tree that runs. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_FILES = 10_000;

/** Variables that Node itself reads or sets. */
type Environment = {
  NODE_COMPILE_CACHE?: string | undefined;
  WATCH_REPORT_DEPENDENCIES?: string | undefined;
};

/** A file that was linked, as it was then: its path, seconds of its last change, bytes. */
export type Linked = { path: string; changed: number; bytes: number };

/** Where the linked program of this tree is kept, and the list of what it was made of. */
export function placeOf(cache: string): { folder: string; list: string } {
  const tree = createHash('sha256').update(ROOT).digest('hex').slice(0, 16);
  const folder = join(cache, 'linked', tree);
  return { folder, list: join(folder, 'list') };
}

/** Seconds: an image keeps no more of the time of a file. Undefined where there is none. */
export function linkedOf(path: string): Linked | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && { path, changed: Math.floor(stats.mtimeMs / 1_000), bytes: stats.size };
}

/** Whether the packages are this tree's own: a copy of a tree that shares them shares their cache too. */
export const hasOwnPackages = (): boolean => {
  try {
    return realpathSync(join(ROOT, 'node_modules')).startsWith(realpathSync(ROOT));
  } catch {
    return false;
  }
};

/** Where what is linked is kept; undefined where changes of the sources start the process anew. */
export const cacheFor = ({ NODE_COMPILE_CACHE, WATCH_REPORT_DEPENDENCIES }: Environment) =>
  WATCH_REPORT_DEPENDENCIES ? undefined : NODE_COMPILE_CACHE;

/**
 * Node finds, reads and links each file of a program by itself, which takes most of a start. After a start
 * the sources are linked into a few files (`link.ts`) that the next one loads, as long as no source has changed:
 * the address of the entry then, else undefined. A process that is started anew by changes runs its sources.
 */
export function linkedProgram(environment: Environment): string | undefined {
  const cache = cacheFor(environment);
  if (cache === undefined) return undefined;
  try {
    const [entry = '', ...lines] = readFileSync(placeOf(cache).list, 'utf8').trimEnd().split('\n');
    if (lines.length === 0 || lines.length > MAX_FILES || !lines.every(isAsItWas)) return undefined;
    return pathToFileURL(entry).href;
  } catch {
    return undefined;
  }
}

/** One line of the list. */
export const lineOf = ({ path, changed, bytes }: Linked): string => `${changed} ${bytes} ${path}`;

function isAsItWas(line: string): boolean {
  const path = line.replace(/^\d+ \d+ /, '');
  const now = linkedOf(path);
  return now !== undefined && lineOf(now) === line;
}

/**
 * Notes that this process runs the linked program at `entry` (a file URL), so that `link.ts` keeps it until the process
 * has ended. Without a place to write, the program may be removed after two more links, as it always was.
 */
export function holdLinked(entry: string): void {
  const folder = dirname(fileURLToPath(entry));
  const file = join(folder, HOLDERS, String(process.pid));
  try {
    mkdirSync(join(folder, HOLDERS), { recursive: true });
    removeEnded(folder);
    writeFileSync(file, JSON.stringify(thisProcess()));
  } catch {
    return;
  }
  process.once('exit', () => rmSync(file, { force: true }));
}

/** Whether a living process runs the linked program in this folder. */
export function isHeld(folder: string): boolean {
  return holders(folder).some(({ identity }) => identity !== undefined && isAlive(identity));
}

/** A process that was killed leaves its file. */
function removeEnded(folder: string): void {
  for (const { file, identity } of holders(folder))
    if (identity === undefined || !isAlive(identity)) rmSync(file, { force: true });
}

function holders(folder: string): { file: string; identity: ProcessIdentity | undefined }[] {
  try {
    return readdirSync(join(folder, HOLDERS)).map((name) => {
      const file = join(folder, HOLDERS, name);
      return { file, identity: identityIn(file) };
    });
  } catch {
    return [];
  }
}

function identityIn(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
