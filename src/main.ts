/** The entry of every process; what is to be compiled by the cache is imported after it is on. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';

import type { Program } from './cli/program.ts';
import { setV8Flags } from './kernel/process/v8-flags.ts';
import { holdLinked, linkedProgram } from './start/linked.ts';

setV8Flags();
keepCompiled();
const thread = await engineThread();
const { program } = await linkedOrSources();
await program(process.argv, process.env, thread);

/** The program in few files where an earlier start left them, and its sources otherwise. */
async function linkedOrSources(): Promise<{ program: Program }> {
  const linked = linkedProgram(process.env);
  if (linked === undefined) return import('./cli/program.ts');
  holdLinked(linked);
  try {
    return await import(linked);
  } catch (error) {
    console.error('the linked program cannot be loaded, its sources run:', error);
    return import('./cli/program.ts');
  }
}

/** The embedded database's thread for a process that will need one: it loads while we import the rest. */
async function engineThread(): Promise<Worker | undefined> {
  const { DATABASE_URL, SVC_ROLES } = process.env;
  if (process.argv[2] !== 'serve' || DATABASE_URL || SVC_ROLES) return undefined;
  const { startThread } = await import('./db/embedded/thread.ts');
  return startThread();
}

/**
 * Keeps what Node compiled and stripped of types for the next start: beside the packages, which a new
 * revision installs anew, unless `NODE_COMPILE_CACHE` names a place. Without a place to write it has no effect.
 * `npm start` has it on before this file is read: else Node loads what strips types, 15 MB, for this file alone.
 */
function keepCompiled(): void {
  // Threads and child processes take it from the environment.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
    new URL('../node_modules/.cache/svc', import.meta.url),
  );
  enableCompileCache(process.env['NODE_COMPILE_CACHE']);
}
