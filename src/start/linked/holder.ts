import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  isAlive,
  type ProcessIdentity,
  thisProcess,
} from '../../kernel/process/process-identity.ts';

/** In the folder of a linked program: a file for each process that runs it, which loads parts of it at their first use. */
const HOLDERS = 'holders';

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
