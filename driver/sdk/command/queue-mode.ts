import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { Driver, DriverDevice } from '../driver.ts';
import type { Serving } from '../serving.ts';
import type { CommandStore } from './store.ts';
import { createWaitingRoom, type Held } from './wake-queue.ts';

type Work = { tenantId: string; deviceId: string };

/** Commands for devices that sleep (docs/specification/commands.md, Devices that sleep). */
export type Sleepers<W> = {
  /** Whether the device is asleep, and the command would not fail for another reason. */
  isAsleep(work: W): boolean;
  /** The same, or others wait for the device still. */
  hasToWait(work: W): boolean;
  isFull(work: W): boolean;
  /** Stores a command that the device has not seen; resolves when it is on disk. */
  park(held: Held<W>): Promise<void>;
  /** Sends what waits for the device, if it listens now, or ends it if it is not to be asked any more. */
  look(deviceId: string): void;
  /** Goes on with what waited in an earlier process. */
  resume(number: () => number): Promise<void>;
  close(): void;
};

// oxlint-disable-next-line max-lines-per-function
export function createSleepers<W extends Work>({
  idOf,
  parse,
  driver,
  devices,
  serving,
  store,
  countdown,
  execute,
  track,
  waits,
  isOver,
  clock,
  log,
}: {
  idOf(work: W): string;
  /** The command as it was stored; null for what is none. */
  parse(stored: unknown): W | null;
  driver: Pick<Driver, 'status' | 'sleeper'>;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  store: CommandStore;
  /** Remaining validity (ms) of a command from now on. */
  countdown(work: W): () => number;
  /** Executes a command that is stored as started; never rejects. */
  execute(held: Held<W>): Promise<void>;
  track(work: Promise<void>): void;
  /** Publishes that the command waits. */
  waits(work: { id: string; tenantId: string }): Promise<void>;
  /** Ends a command that its device slept through. */
  isOver(work: W): Promise<void>;
  clock: Clock;
  log: Log;
}): Sleepers<W> {
  const flushing = new Set<string>();
  let closed = false;
  const room = createWaitingRoom<W>(clock, ({ work }) => track(isOver(work)));
  const markOf = (work: W) => ({
    commandId: idOf(work),
    tenantId: work.tenantId,
    at: clock.now(),
  });

  function isAsleep({ tenantId, deviceId }: W): boolean {
    const device = devices.get(deviceId);
    if (!device?.enabled || device.tenantId !== tenantId) return false;
    return !serving.isElsewhere(device) && driver.sleeper?.(device)?.isAwake === false;
  }

  /** Whether it listens, or a try would say why it is not asked any more. */
  function isReady(deviceId: string): boolean {
    const device = devices.get(deviceId);
    if (!device?.enabled || serving.isElsewhere(device)) return true;
    return driver.status(device).status === 'ONLINE' && driver.sleeper?.(device)?.isAwake !== false;
  }

  function look(deviceId: string): void {
    if (closed || flushing.has(deviceId) || !room.has(deviceId) || !isReady(deviceId)) return;
    flushing.add(deviceId);
    track(flush(deviceId));
  }

  /** One after the other: a device that falls asleep in the middle is not sent the rest. */
  async function flush(deviceId: string): Promise<void> {
    for (;;) {
      const held = room.first(deviceId);
      if (closed || !held || !isReady(deviceId)) break;
      // From here on its time can end it no more.
      room.remove(held);
      try {
        await store.start(markOf(held.work));
      } catch (error) {
        log.error({ deviceId, error }, 'a waiting command could not be marked as started');
        room.add(held);
        break;
      }
      await execute(held);
    }
    flushing.delete(deviceId);
  }

  return {
    isAsleep,
    hasToWait: (work) => isAsleep(work) || room.has(work.deviceId),
    isFull: ({ deviceId }) => room.isFull(deviceId),
    async park(held) {
      const { work } = held;
      const stored = store.park({ ...markOf(work), work });
      // At once, so that the commands that are stored at the same time are counted.
      if (!closed) room.add(held);
      try {
        await stored;
      } catch (error) {
        room.remove(held);
        throw error;
      }
      if (closed) return;
      track(waits({ id: idOf(work), tenantId: work.tenantId }));
      // It may have woken meanwhile.
      look(work.deviceId);
    },
    look,
    async resume(number) {
      for (const { commandId, work: stored } of store.parked) {
        const work = parse(stored);
        if (!work) await store.finish(commandId);
        else if (!closed) room.add({ work, left: countdown(work), number: number() });
      }
      for (const deviceId of room.devices()) look(deviceId);
    },
    close() {
      closed = true;
      room.close();
    },
  };
}
