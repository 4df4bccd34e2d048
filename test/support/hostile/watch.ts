import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { z } from 'zod';

import { createLog, type Log } from '../../../src/kernel/process/log.ts';

/** Counts what would have ended the process. */
export function watchProcess(): { deaths: string[]; stop(): void } {
  const deaths: string[] = [];
  const died = (error: unknown): void => {
    deaths.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
  process.on('uncaughtException', died);
  process.on('unhandledRejection', died);
  return {
    deaths,
    stop() {
      process.off('uncaughtException', died);
      process.off('unhandledRejection', died);
    },
  };
}

export type LoggedErrors = Map<string, { count: number; first: string }>;
const Line = z.object({ msg: z.string() });

/** A silent log that keeps what is logged as an error, by its sentence. */
export function keepingLog(): Log & { errors: LoggedErrors } {
  const errors: LoggedErrors = new Map();
  const write = (line: string): void => {
    const { msg } = Line.parse(JSON.parse(line));
    const known = errors.get(msg);
    errors.set(msg, { count: (known?.count ?? 0) + 1, first: known?.first ?? line.trim() });
  };
  return { ...createLog('error', write), errors };
}

/** Sentences that say a part of ours failed, not a caller, a device or a neighbour. */
const FAULT =
  /could not be (?:handled|answered|kept|ended|saved)|not saved|failed unexpectedly|failed in the host|job failed|page failed/;

export const faultsIn = (errors: LoggedErrors): string[] =>
  [...errors]
    .filter(([sentence]) => FAULT.test(sentence))
    .map(([, { count, first }]) => `logged ${count} times: ${first}`);

/** Megabytes of this process after garbage collections, which give room back a while later. */
export async function residentMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let round = 0; round < 4; round += 1) {
    if (typeof collect === 'function') collect();
    await sleep(250);
  }
  return process.memoryUsage.rss() / 1024 / 1024;
}
