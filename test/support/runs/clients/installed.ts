import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Program } from './programs.ts';

const INSTALL_MS = 180_000;
/** What one step of a program may take. */
const STEP_MS = 120_000;
/** In which what a program started has to end after it. */
const AFTER_MS = 2_000;

/** A step that a program ran: how it ended, and all it said. */
export type Ran = { code: number | null; output: string; isLate: boolean; left: number };

/** A home of an installed program, in which it knows nothing yet. */
export type Home = {
  folder: string;
  /** Where it works, below its home. */
  work: string;
  /** Runs a command, or a line as a person types it; ends with everything that it started. */
  run(words: string | readonly string[], more?: Record<string, string>): Promise<Ran>;
};

const nodePackage = `node-${process.platform}-${process.arch}`;

/** Installs a program into an empty folder with nothing but its own; throws what npm says when it cannot. */
export async function install(program: Program, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const wanted = [`${program.package}@${program.version}`];
  if (program.node !== undefined) wanted.push(`${nodePackage}@${program.node}`);
  // Scripts of packages would run unasked; the one that a program cannot do without is run by name.
  const npm = [
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--prefer-offline',
  ];
  const done = await runIn(folder, [...npm, ...wanted], process.env, INSTALL_MS);
  if (done.code !== 0) throw new Error(`npm: ${done.output.trim().slice(-300)}`);
  if (program.prepared !== undefined) {
    const words = [process.execPath, program.prepared];
    const place = join(folder, 'node_modules', program.package);
    const ready = await runIn(place, words, process.env, STEP_MS);
    if (ready.code !== 0) throw new Error(`${program.prepared}: ${ready.output.trim()}`);
  }
}

/** A new home below `homes` of a program that is installed in `folder`. */
export async function homeOf(
  program: Program,
  { folder, homes, name }: { folder: string; homes: string; name: string },
  environment: Record<string, string>,
): Promise<Home> {
  const modules = join(folder, 'node_modules');
  const nodeBin =
    program.node === undefined ? dirname(process.execPath) : join(modules, nodePackage, 'bin');
  const home = join(homes, name);
  const work = join(home, 'work');
  await mkdir(work, { recursive: true });
  const PATH = [join(home, 'bin'), join(modules, '.bin'), nodeBin, '/usr/bin', '/bin'];
  return {
    folder: home,
    work,
    run: (words, more = {}) =>
      runIn(
        work,
        typeof words === 'string' ? ['sh', '-c', words] : words,
        { ...environment, ...more, HOME: home, PATH: PATH.join(delimiter) },
        STEP_MS,
      ),
  };
}

/** Runs a command as a group of its own, which ends with it. */
async function runIn(
  folder: string,
  [command = '', ...words]: readonly string[],
  environment: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<Ran> {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...environment, SVC_PROOF_OF: folder },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void end(folder);
  }, limitMs);
  await Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([error]) => (output += String(error))),
  ]);
  clearTimeout(timer);
  const left = await end(folder, AFTER_MS);
  return { code: child.exitCode, output, isLate, left };
}

/** Ends what still runs of a step after `waitMs`, however it detached itself; answers how many that were. */
async function end(folder: string, waitMs = 0): Promise<number> {
  const until = performance.now() + waitMs;
  let running = await runningOf(folder);
  while (running.length > 0 && performance.now() < until) {
    await sleep(50);
    running = await runningOf(folder);
  }
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
  return running.length;
}

/** The processes that were started with the mark of a step; a process hands its environment on. */
async function runningOf(folder: string): Promise<number[]> {
  const mark = `SVC_PROOF_OF=${folder}\0`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environ = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return `${environ}\0`.includes(mark) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
