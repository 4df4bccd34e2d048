import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { install } from './installed.ts';
import { type Program, programs } from './programs.ts';

/** One program that every whole run of the tests meets: the smallest that takes every schema and logs in by itself. */
const CLIENT = 'Codex';
const CACHE = '.cache/programs';

const placeOf = ({ command, version }: Program): string => join(CACHE, `${command}-${version}`);

/** It, and the folder in which it is installed; undefined until `node test/support/runs/clients/kept.ts` ran. */
export function keptProgram(): { program: Program; folder: string } | undefined {
  const program = programs.find(({ client }) => client === CLIENT);
  if (!program) throw new Error(`there is no program ${CLIENT}`);
  const folder = placeOf(program);
  return existsSync(folder) ? { program, folder } : undefined;
}

/** Installs it from the npm registry, whole or not at all. */
async function keep(): Promise<void> {
  const program = programs.find(({ client }) => client === CLIENT);
  if (!program || keptProgram()) return;
  const folder = placeOf(program);
  const half = `${folder}.half`;
  await rm(half, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await install(program, half);
  await rename(half, folder);
}

if (import.meta.main) await keep();
