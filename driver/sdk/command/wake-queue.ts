import type { Clock } from '../../../src/kernel/clock.ts';

/** A command for a device that sleeps, and its place among the others. */
export type Held<W> = {
  work: W;
  /** Remaining validity (ms). */
  left: () => number;
  /** Grows with the order of arrival. */
  number: number;
};

/** Commands for one device that may wait. */
const MAX_OF_DEVICE = 100;

/** Commands that wait for their devices to wake, in the order of their arrival; each leaves when its time is over. */
export type WakeQueue<W> = {
  isFull(deviceId: string): boolean;
  has(deviceId: string): boolean;
  add(held: Held<W>): void;
  /** The next one, which stays. */
  first(deviceId: string): Held<W> | null;
  remove(held: Held<W>): void;
  devices(): string[];
  /** Ends the timers; what waits stays in the store. */
  close(): void;
};

export function createWakeQueue<W extends { deviceId: string }>(
  clock: Clock,
  /** Called once its time is over, when it has left. */
  isOver: (held: Held<W>) => void,
): WakeQueue<W> {
  const byDevice = new Map<string, Held<W>[]>();
  const timers = new Map<Held<W>, () => void>();

  function remove(held: Held<W>): void {
    timers.get(held)?.();
    timers.delete(held);
    const { deviceId } = held.work;
    const rest = (byDevice.get(deviceId) ?? []).filter((each) => each !== held);
    if (rest.length === 0) byDevice.delete(deviceId);
    else byDevice.set(deviceId, rest);
  }

  function arm(held: Held<W>): void {
    const timer = clock.after(Math.max(1, held.left()), () => {
      // The centers' clock may say that there is time left.
      if (held.left() > 0) return arm(held);
      remove(held);
      isOver(held);
    });
    timers.set(held, timer);
  }

  return {
    isFull: (deviceId) => (byDevice.get(deviceId)?.length ?? 0) >= MAX_OF_DEVICE,
    has: (deviceId) => byDevice.has(deviceId),
    add(held) {
      const { deviceId } = held.work;
      const line = [...(byDevice.get(deviceId) ?? []), held];
      byDevice.set(
        deviceId,
        line.toSorted((a, b) => a.number - b.number),
      );
      arm(held);
    },
    first: (deviceId) => byDevice.get(deviceId)?.[0] ?? null,
    remove,
    devices: () => [...byDevice.keys()],
    close() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
