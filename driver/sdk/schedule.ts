import { Cron } from 'croner';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';

/** A timer cannot be set further ahead than 2^31 ms; a longer wait is split into days. */
const LONGEST_WAIT_MS = 86_400_000;

/** `idle` resolves when no run is in progress. */
export type Schedule = { cancel: () => void; idle: () => Promise<void> };

/** Number of runs from which the longest interval is taken. */
const LOOKED_AT = 32;
/** The longest interval that a registration may declare (src/bus/topic/driver-topics.ts). */
const YEAR_MS = 366 * 86_400_000;

const timesOf = (cron: string): Cron =>
  new Cron(cron, {
    sloppyRanges: true,
    alternativeWeekdays: true,
    utcOffset: 0,
    paused: true,
  });

/** Longest time (ms) between the next runs after `from`; null for a cron that runs once or never. */
export function intervalOf(cron: string, from: number): number | null {
  const runs = timesOf(cron)
    .nextRuns(LOOKED_AT, new Date(from))
    .map((run) => run.getTime());
  const apart = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  return apart.length > 0 ? Math.max(...apart) : null;
}

/** Whether the text is a Quartz cron string of six fields that comes at least once in a year. */
export function isCron(text: string): boolean {
  if (text.trim().split(/\s+/).length !== 6) return false;
  try {
    const interval = intervalOf(text, 0);
    return interval !== null && interval <= YEAR_MS;
  } catch {
    return false;
  }
}

/**
 * Runs `job` at the times of a Quartz cron string (`0/30 * * * * ?`, in UTC; docs/specification/drivers.md,
 * Cron strings). A time at which the job still runs is skipped. Throws for an invalid cron string.
 */
export function schedule(
  cron: string,
  { clock, log, job }: { clock: Clock; log: Log; job: () => Promise<void> },
): Schedule {
  const times = timesOf(cron);
  let running: Promise<void> | null = null;
  let cancelTimer: (() => void) | undefined;
  let cancelled = false;

  function arm(from: number): void {
    const next = times.nextRun(new Date(from))?.getTime();
    if (next === undefined || cancelled) return;
    const wait = next - clock.now();
    cancelTimer =
      wait > LONGEST_WAIT_MS
        ? clock.after(LONGEST_WAIT_MS, () => arm(from))
        : clock.after(wait, () => {
            fire();
            // A timer may fire a millisecond early; counting from the planned time prevents a second run.
            arm(Math.max(next, clock.now()));
          });
  }

  function fire(): void {
    if (running) return log.warn({ cron }, 'scheduled job still running, run skipped');
    running = Promise.try(job)
      .catch((error: unknown) => log.error({ cron, error }, 'a scheduled job failed'))
      .finally(() => {
        running = null;
      });
  }

  arm(clock.now());
  return {
    cancel() {
      cancelled = true;
      cancelTimer?.();
    },
    idle: async () => {
      await running;
    },
  };
}
