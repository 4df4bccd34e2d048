import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createLog, type Log } from '../../../src/core/log.ts';

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

/** A silent log that keeps what is logged as an error: facts and text, the first hundred. */
export function keepingLog(): Log & { errors: string[] } {
  const errors: string[] = [];
  const write = (line: string): void => {
    if (errors.length < 100) errors.push(line.trim());
  };
  return { ...createLog('error', write), errors };
}

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
