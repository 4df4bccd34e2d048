import type { Delivery } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { KeyedQueue } from '../../../src/kernel/queue.ts';
import type { CenterTime } from '../center-time.ts';
import { type Driver, type DriverDevice, DriverFailure } from '../driver.ts';
import type { Serving } from '../serving.ts';
import { OutOfTime, retry, within } from '../wait.ts';
import {
  asleep,
  duplicate,
  type Ended,
  expired,
  handedOutBefore,
  interrupted,
  servedElsewhere,
  sleeperFull,
} from './ends.ts';
import { QueuedCommands } from './queue-mode.ts';
import type { CommandStore } from './store.ts';
import type { Held } from './wake-queue.ts';

/** A command for a device, with its validity. */
type Work = { tenantId: string; deviceId: string; expireAt: number; remainingMs: number };
/** Not an end: the command waits for its device to wake. */
type Waiting = { status: 'WAITING' };

const MAX_RUNNING = 256;
const MAX_UNTOUCHED = 10_000;
/** Time over the deadline that a driver gets to end its own waits. */
const GRACE_MS = 1_000;
/** For one command at a device that sleeps, once it is awake. */
const SLEEPER_MS = 93_000;
const RESULT_TIMEOUT_MS = 5_000;
const RESULT_RETRY_MS = [100, 200, 400, 800, 1600, 2000, 2000, 2000] as const;

export type OnceParts = {
  driver: Pick<Driver, 'status' | 'sleeper'>;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  /** Resolves once all devices are known. */
  synced: Promise<void>;
  lock: KeyedQueue;
  time: CenterTime;
  clock: Clock;
  log: Log;
};

type Parts<W extends Work, O extends Ended> = OnceParts & {
  idOf(work: W): string;
  /** Whether executing the command twice could do harm. */
  changesDevice(work: W): boolean;
  /** The command as it was stored; null for what is none. */
  parse(stored: unknown): W | null;
  /** Ends by `deadline` (ms, by `clock.now()`). An error other than `DriverFailure` counts as FAILED. */
  run(work: W, deadline: number): Promise<O>;
  publish(work: { id: string; tenantId: string }, ended: O | Ended | Waiting): Promise<void>;
  store: CommandStore;
};

/** Executes commands at most once each (docs/specification/commands.md, At most once). */
export class Once<W extends Work, O extends Ended> {
  readonly #parts: Parts<W, O>;
  readonly #running = new Set<Promise<void>>();
  /** Commands not stored as started: no device has seen them, so they may be delivered again. */
  readonly #untouched = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #queued: QueuedCommands<W>;
  #arrivals = 0;

  constructor(parts: Parts<W, O>) {
    const { idOf, parse, driver, devices, serving, store, clock, log } = parts;
    this.#parts = parts;
    this.#queued = new QueuedCommands<W>({
      idOf,
      parse,
      driver,
      devices,
      serving,
      store,
      countdown: this.#countdown,
      execute: (held) => this.#execute(held, true),
      track: this.#track,
      waits: async (work) => void (await this.#report(work, { status: 'WAITING' })),
      isOver: async (work) => {
        const id = idOf(work);
        if (await this.#report({ id, tenantId: work.tenantId }, asleep)) await store.finish(id);
      },
      clock,
      log,
    });
  }

  async handle(work: W, delivery: Delivery): Promise<void> {
    const { idOf, log, store, clock } = this.#parts;
    const left = this.#countdown(work);
    while (this.#running.size >= MAX_RUNNING) await Promise.race(this.#running);
    const id = idOf(work);
    const { tenantId } = work;
    const refused = this.#refusal(work, delivery.attempt, left());
    if (refused === 'silent')
      return log.warn({ commandId: id }, 'a command was delivered again: not executed again');
    if (refused === handedOutBefore) {
      // The copy that got the command first has until its expiry to publish the real result.
      delivery.ack();
      log.warn({ commandId: id }, 'a command was handed out before: not executed again');
      return this.#track(this.#reportLast({ id, tenantId }, handedOutBefore, left()));
    }
    if (refused) {
      await this.#report({ id, tenantId }, refused);
      return;
    }
    const held = { work, left, number: ++this.#arrivals };
    if (this.#queued.hasToWait(work)) {
      if (this.#queued.isFull(work)) await this.#report({ id, tenantId }, sleeperFull);
      else await this.#queued.park(held);
      return;
    }
    try {
      await store.start({ commandId: id, tenantId, at: clock.now() });
    } catch (error) {
      if (this.#untouched.size < MAX_UNTOUCHED) this.#untouched.add(id);
      throw error;
    }
    this.#untouched.delete(id);
    delivery.ack();
    this.#track(this.#execute(held));
  }

  /** Publishes UNKNOWN for commands that a crash interrupted; they are never executed again. */
  async answerOrphans(): Promise<void> {
    const { store } = this.#parts;
    for (const { commandId, tenantId } of store.orphans)
      if (await this.#report({ id: commandId, tenantId }, interrupted))
        await store.finish(commandId);
  }

  /** Goes on with the commands that waited in an earlier process; call once. Never rejects. */
  async resume(): Promise<void> {
    const { synced, log } = this.#parts;
    await synced;
    try {
      await this.#queued.resume(() => ++this.#arrivals);
    } catch (error) {
      log.error({ error }, 'waiting commands were not taken up');
    }
  }

  /** Sends what waits for the device, if it listens now, or ends it if it is not to be asked any more. */
  look(deviceId: string): void {
    this.#queued.look(deviceId);
  }

  /** Resolves when no command is running; what waits stays in the store. */
  async idle(): Promise<void> {
    this.#queued.close();
    for (const wake of this.#waiting) wake();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Remaining validity (ms): subtracts the time since the publish, at least the time since the receipt. */
  readonly #countdown = ({ expireAt, remainingMs }: W): (() => number) => {
    const { time, clock } = this.#parts;
    const sentAt = expireAt - remainingMs;
    time.learn(sentAt);
    const receivedAt = clock.elapsed();
    return () => remainingMs - Math.max(time.since(sentAt), clock.elapsed() - receivedAt);
  };

  readonly #track = (work: Promise<void>): void => {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  };

  /** Gives a result up after about a minute without a confirm; the sweeper then ends the command. */
  async #report(
    work: { id: string; tenantId: string },
    ended: O | Ended | Waiting,
  ): Promise<boolean> {
    const { clock, publish, log } = this.#parts;
    try {
      await retry(clock, RESULT_RETRY_MS, () =>
        within(clock, RESULT_TIMEOUT_MS, publish(work, ended)),
      );
      return true;
    } catch (error) {
      log.error({ commandId: work.id, error }, 'the result of a command could not be delivered');
      return false;
    }
  }

  async #reportLast(
    work: { id: string; tenantId: string },
    ended: Ended,
    waitMs: number,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(Math.max(0, waitMs), resolve);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    cancel();
    await this.#report(work, ended);
  }

  async #execute(held: Held<W>, hasWaited = false): Promise<void> {
    const { lock, clock, idOf, store, log } = this.#parts;
    const { work, left } = held;
    try {
      await this.#known(work, left());
      let isTurn = false;
      const turn = async (): Promise<O | Ended | null> => {
        isTurn = true;
        // It may have fallen asleep while the command waited for its turn.
        if (left() > 0 && this.#queued.isAsleep(work)) return null;
        const began = clock.elapsed();
        const done = await this.#attempt(work, left());
        return hasWaited ? { ...done, askedMs: Math.ceil(clock.elapsed() - began) } : done;
      };
      // Behind a command that may take longer than this one is valid.
      const waiting = lock.run(work.deviceId, turn, { waitMs: left() });
      const ended = await waiting.catch((error: unknown) => {
        if (isTurn) throw error;
        return expired;
      });
      if (!ended) return await this.#queued.park(held);
      const id = idOf(work);
      if (await this.#report({ id, tenantId: work.tenantId }, ended)) await store.finish(id);
    } catch (error) {
      log.error({ commandId: idOf(work), error }, 'a command failed in the host');
    }
  }

  /** A command queued during a restart of its driver may arrive before the metadata of its device. */
  async #known({ deviceId }: W, left: number): Promise<void> {
    const { devices, clock, synced } = this.#parts;
    if (devices.has(deviceId)) return;
    await within(clock, left, synced).catch(() => {});
  }

  async #attempt(work: W, left: number): Promise<O | Ended> {
    const { devices, serving, driver, run, clock } = this.#parts;
    // The command may have waited for its device: if it has expired meanwhile it is not executed
    // (docs/specification/limits.md, Command).
    if (left <= 0) return expired;
    const device = devices.get(work.deviceId);
    if (device && serving.isElsewhere(device)) return servedElsewhere;
    try {
      // A command that may wait for hours must not hold up the others as long.
      const mayTakeMs = device && driver.sleeper?.(device) ? SLEEPER_MS : left;
      return await run(work, clock.now() + Math.min(left, mayTakeMs));
    } catch (error) {
      return failure(error, 'FAILED');
    }
  }

  /** Outcome of a command not to be executed, else null; `silent`: its result is published elsewhere. */
  #refusal(work: W, delivered: number, left: number): Ended | 'silent' | null {
    const { idOf, store, changesDevice } = this.#parts;
    const id = idOf(work);
    const state = store.state(id);
    // A DUPLICATE now could overtake the real result, which is on its way or delivered.
    if (state === 'running' || state === 'parked' || (state === 'finished' && delivered > 1))
      return 'silent';
    if (state === 'finished') return duplicate;
    if (state === 'interrupted') return interrupted;
    if (delivered > 1 && changesDevice(work) && !this.#untouched.has(id)) return handedOutBefore;
    return left <= 0 ? expired : null;
  }
}

/** Without a `DriverFailure` the effect on the device is unknown: `otherwise` decides the status. */
export function failure(error: unknown, otherwise: 'FAILED' | 'UNKNOWN'): Ended {
  if (error instanceof OutOfTime)
    return {
      status: otherwise,
      errorCode: 'TIMEOUT',
      errorMessage: 'the driver did not come back in time',
    };
  if (!(error instanceof DriverFailure))
    return {
      status: otherwise,
      errorCode: 'DRIVER_ERROR',
      errorMessage: error instanceof Error ? error.message : 'the driver failed',
    };
  const { outcome: status, code: errorCode, message: errorMessage } = error;
  return { status, errorCode, errorMessage };
}

/** Limits a driver to its deadline. */
export function bounded<T>(clock: Clock, deadline: number, work: Promise<T>): Promise<T> {
  return within(clock, Math.max(0, deadline - clock.now()) + GRACE_MS, work);
}
