import type { Clock } from '../../../src/kernel/clock.ts';

/** The center hands each update out every 15 s until it has ended: one that it did not repeat is not wanted any more. */
const KEPT_MS = 45_000;
const MAX_KEPT = 10_000;

type Task = { deviceId: string; remainingMs: number };

/** Updates that wait for their devices to wake, at most one of each device, as long as the center wants them. */
export type InterruptedUpdates<T extends Task> = {
  /** Beyond the bound an update is not kept: the center hands it out again. */
  keep(task: T): void;
  /** Takes the update of a device out, with the time that is left for it. */
  take(deviceId: string): T | null;
};

export function createInterruptedUpdates<T extends Task>(
  clock: Clock,
  keptMs: number = KEPT_MS,
): InterruptedUpdates<T> {
  const kept = new Map<string, { task: T; at: number }>();

  /** The oldest come first. */
  function dropOld(): void {
    for (const [deviceId, { at }] of kept) {
      if (clock.elapsed() - at <= keptMs) return;
      kept.delete(deviceId);
    }
  }

  return {
    keep(task) {
      dropOld();
      kept.delete(task.deviceId);
      if (kept.size < MAX_KEPT) kept.set(task.deviceId, { task, at: clock.elapsed() });
    },
    take(deviceId) {
      dropOld();
      const found = kept.get(deviceId);
      if (!found) return null;
      kept.delete(deviceId);
      const leftMs = found.task.remainingMs - (clock.elapsed() - found.at);
      return { ...found.task, remainingMs: Math.max(1, leftMs) };
    },
  };
}
