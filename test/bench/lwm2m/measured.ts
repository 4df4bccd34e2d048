import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { z } from 'zod';

import { NODE_OPTIONS } from '../platform/options.ts';
import { ask, freshDirectory, next, start, stop } from '../process.ts';
import { Done, Listening, type Question, Used } from './question.ts';

/** A process under load. */
export type Measured = {
  port: number;
  used(): Promise<Used>;
  tell(question: Question): Promise<z.infer<typeof Done>>;
  /**
   * Units of `count` per second of CPU that their work takes, without what the process takes all the time, as its
   * heartbeats.
   */
  perCpuSecond(count: number, work: () => Promise<unknown>): Promise<number>;
  /** The seconds of CPU of some work, likewise. */
  cpuSecondsOf(work: () => Promise<unknown>): Promise<number>;
  /** Does nothing for a time; answers the microseconds of CPU that the process takes in each second of it. */
  rest(seconds: number): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
};

const compiled = freshDirectory();

export async function measured(script: string, kind?: string): Promise<Measured> {
  const args = [kind ?? (await freshDirectory())];
  // What strips types is 20 MB, and a platform that started before does not load it: the second start is measured.
  const env = { NODE_COMPILE_CACHE: await compiled };
  const open = () => start(new URL(script, import.meta.url), { args, env, options: NODE_OPTIONS });
  const rehearsal = open();
  await next(rehearsal, Listening).finally(() => stop(rehearsal));
  const child: ChildProcess = open();
  try {
    const { port } = await next(child, Listening);
    const used = () => ask(child, { ask: 'used' }, Used);
    let standing = 0;
    async function cpuSecondsOf(work: () => Promise<unknown>): Promise<number> {
      const before = await used();
      const began = performance.now();
      await work();
      const seconds = (performance.now() - began) / 1_000;
      const after = await used();
      return (after.cpu - before.cpu - standing * seconds) / 1e6;
    }
    return {
      port,
      used,
      tell: (question) => ask(child, question, Done),
      cpuSecondsOf,
      perCpuSecond: async (count, work) => count / (await cpuSecondsOf(work)),
      async rest(seconds) {
        const before = await used();
        await sleep(seconds * 1_000);
        standing = ((await used()).cpu - before.cpu) / seconds;
        return standing;
      },
      [Symbol.asyncDispose]: () => stop(child),
    };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Waits until the process has counted as many, or no more came for a second; answers what it has. */
export async function untilSeen(process: Measured, atLeast: number): Promise<number> {
  let last = -1;
  for (let quiet = 0; quiet < 10;) {
    const { seen } = await process.used();
    if (seen >= atLeast) return seen;
    quiet = seen === last ? quiet + 1 : 0;
    last = seen;
    await sleep(100);
  }
  return last;
}
