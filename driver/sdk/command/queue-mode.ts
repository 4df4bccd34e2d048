import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { Driver, DriverDevice } from '../driver.ts';
import type { Serving } from '../serving.ts';
import type { CommandStore } from './store.ts';
import { createWakeQueue, type Held, type WakeQueue } from './wake-queue.ts';

type Work = { tenantId: string; deviceId: string };

type Parts<W extends Work> = {
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
};

/** Commands for devices that sleep (docs/specification/commands.md, Devices that sleep). */
export class QueuedCommands<W extends Work> {
  readonly #parts: Parts<W>;
  readonly #flushing = new Set<string>();
  #closed = false;
  readonly #queue: WakeQueue<W>;

  constructor(parts: Parts<W>) {
    const { clock, track, isOver } = parts;
    this.#parts = parts;
    this.#queue = createWakeQueue<W>(clock, ({ work }) => track(isOver(work)));
  }

  /** Whether the device is asleep, and the command would not fail for another reason. */
  isAsleep({ tenantId, deviceId }: W): boolean {
    const { devices, serving, driver } = this.#parts;
    const device = devices.get(deviceId);
    if (!device?.enabled || device.tenantId !== tenantId) return false;
    return !serving.isElsewhere(device) && driver.sleeper?.(device)?.isAwake === false;
  }

  /** The same, or others wait for the device still. */
  hasToWait(work: W): boolean {
    return this.isAsleep(work) || this.#queue.has(work.deviceId);
  }

  isFull({ deviceId }: W): boolean {
    return this.#queue.isFull(deviceId);
  }

  /** Stores a command that the device has not seen; resolves when it is on disk. */
  async park(held: Held<W>): Promise<void> {
    const { store, track, waits, idOf } = this.#parts;
    const { work } = held;
    const stored = store.park({ ...this.#markOf(work), work });
    // At once, so that the commands that are stored at the same time are counted.
    if (!this.#closed) this.#queue.add(held);
    try {
      await stored;
    } catch (error) {
      this.#queue.remove(held);
      throw error;
    }
    if (this.#closed) return;
    track(waits({ id: idOf(work), tenantId: work.tenantId }));
    // It may have woken meanwhile.
    this.look(work.deviceId);
  }

  /** Sends what waits for the device, if it listens now, or ends it if it is not to be asked any more. */
  look(deviceId: string): void {
    if (
      this.#closed ||
      this.#flushing.has(deviceId) ||
      !this.#queue.has(deviceId) ||
      !this.#isReady(deviceId)
    )
      return;
    this.#flushing.add(deviceId);
    this.#parts.track(this.#flush(deviceId));
  }

  /** Goes on with what waited in an earlier process. */
  async resume(number: () => number): Promise<void> {
    const { store, parse, countdown } = this.#parts;
    for (const { commandId, work: stored } of store.parked) {
      const work = parse(stored);
      if (!work) await store.finish(commandId);
      else if (!this.#closed) this.#queue.add({ work, left: countdown(work), number: number() });
    }
    for (const deviceId of this.#queue.devices()) this.look(deviceId);
  }

  close(): void {
    this.#closed = true;
    this.#queue.close();
  }

  readonly #markOf = (work: W) => {
    const { idOf, clock } = this.#parts;
    return {
      commandId: idOf(work),
      tenantId: work.tenantId,
      at: clock.now(),
    };
  };

  /** Whether it listens, or a try would say why it is not asked any more. */
  #isReady(deviceId: string): boolean {
    const { devices, serving, driver } = this.#parts;
    const device = devices.get(deviceId);
    if (!device?.enabled || serving.isElsewhere(device)) return true;
    return driver.status(device).status === 'ONLINE' && driver.sleeper?.(device)?.isAwake !== false;
  }

  /** One after the other: a device that falls asleep in the middle is not sent the rest. */
  async #flush(deviceId: string): Promise<void> {
    const { store, log, execute } = this.#parts;
    for (;;) {
      const held = this.#queue.first(deviceId);
      if (this.#closed || !held || !this.#isReady(deviceId)) break;
      // From here on its time can end it no more.
      this.#queue.remove(held);
      try {
        await store.start(this.#markOf(held.work));
      } catch (error) {
        log.error({ deviceId, error }, 'a waiting command could not be marked as started');
        this.#queue.add(held);
        break;
      }
      await execute(held);
    }
    this.#flushing.delete(deviceId);
  }
}
