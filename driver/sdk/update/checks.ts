import type { Clock } from '../../../src/kernel/clock.ts';
import { createInterruptedUpdates } from './interrupted.ts';

/** Longer than the center waits before it hands one out again. */
const KEPT_MS = 2 * 3_600_000;
/** Between two looks at a device that registers or wakes again and again. */
const EVERY_MS = 30_000;
const MAX_LOOKING = 16;

type Task = { deviceId: string; remainingMs: number };

/** Looks at devices of which it is unclear what became of their updates: when asked to, and when they come back. */
export type UpdateChecks<T extends Task> = {
  take(task: T): void;
  cameBack(deviceId: string): void;
  idle(): Promise<void>;
};

/** `look` answers whether nothing is left to find out; a device that does not listen is looked at later. */
export function createUpdateChecks<T extends Task>(
  clock: Clock,
  { isStopped, look }: { isStopped(): boolean; look(task: T): Promise<boolean> },
): UpdateChecks<T> {
  const kept = createInterruptedUpdates<T & { lookedAt: number | null }>(clock, KEPT_MS);
  const looking = new Map<string, Promise<void>>();

  async function lookAt(task: T): Promise<void> {
    const lookedAt = clock.elapsed();
    if (!(await look(task))) kept.keep({ ...task, lookedAt });
  }

  function begin(task: T): void {
    const { deviceId } = task;
    if (isStopped() || looking.has(deviceId)) return;
    if (looking.size >= MAX_LOOKING) return kept.keep({ ...task, lookedAt: null });
    const work = lookAt(task).finally(() => looking.delete(deviceId));
    looking.set(deviceId, work);
  }

  return {
    take: begin,
    cameBack(deviceId) {
      const task = kept.take(deviceId);
      if (!task) return;
      const isSoon = task.lookedAt !== null && clock.elapsed() - task.lookedAt < EVERY_MS;
      if (isSoon) kept.keep(task);
      else begin(task);
    },
    async idle() {
      await Promise.all(looking.values());
    },
  };
}
