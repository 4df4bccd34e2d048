import type { Delivery } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import { type DriverDevice, DriverFailure } from '../driver.ts';
import type { Serving } from '../serving.ts';
import { OutOfTime, retry, within } from '../wait.ts';
import type { CenterTime } from './center-time.ts';
import type { DeviceLock } from './device-lock.ts';
import type { CommandStore } from './store.ts';

/** Something a device is asked to do, until it expires. */
type Work = { tenantId: string; deviceId: string; expireAt: number; remainingMs: number };
/** How it ended; what it led to is the kind's own. */
export type Ended = {
  status: 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'DUPLICATE' | 'UNKNOWN';
  errorCode?: string;
  errorMessage?: string;
};

const MAX_RUNNING = 256;
const MAX_UNTOUCHED = 10_000;
/** The driver ends its waits itself; this only holds it to it. */
const GRACE_MS = 1_000;
const RESULT_TIMEOUT_MS = 5_000;
const RESULT_RETRY_MS = [100, 200, 400, 800, 1600, 2000, 2000, 2000] as const;

export type Once<W> = {
  handle(work: W, delivery: Delivery): Promise<void>;
  /** Tells UNKNOWN of the work a crash interrupted; it is never done again. */
  answerOrphans(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

export type OnceParts = {
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  /** Resolves once all devices are known. */
  synced: Promise<void>;
  lock: DeviceLock;
  time: CenterTime;
  clock: Clock;
  log: Log;
};

/** Does what devices are asked for at most once each (docs/specification/commands.md, At most once). */
export function createOnce<W extends Work, O extends Ended>({
  idOf,
  changesDevice,
  run,
  publish,
  store,
  devices,
  serving,
  synced,
  lock,
  time,
  clock,
  log,
}: OnceParts & {
  idOf(work: W): string;
  /** Whether doing it twice could do harm. */
  changesDevice(work: W): boolean;
  /** Ends by `deadline` (ms, by `clock.now()`). May throw: what is no `DriverFailure` counts as FAILED. */
  run(work: W, deadline: number): Promise<O>;
  publish(work: { id: string; tenantId: string }, ended: O | Ended): Promise<void>;
  store: CommandStore;
}): Once<W> {
  const running = new Set<Promise<void>>();
  /** Work that could not be marked as started: no device knows of it, and it may come again. */
  const untouched = new Set<string>();
  const waiting = new Set<() => void>();

  /** A clock of validity left (ms): what passed since the publish, and surely what passed since now. */
  function countdown({ expireAt, remainingMs }: W): () => number {
    const sentAt = expireAt - remainingMs;
    time.learn(sentAt);
    const receivedAt = clock.elapsed();
    return () => remainingMs - Math.max(time.since(sentAt), clock.elapsed() - receivedAt);
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  /** A result nobody takes is given up after about a minute; the sweeper then ends the command. */
  async function tell(work: { id: string; tenantId: string }, ended: O | Ended): Promise<boolean> {
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

  async function tellLast(
    work: { id: string; tenantId: string },
    ended: Ended,
    waitMs: number,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(Math.max(0, waitMs), resolve);
    waiting.add(resolve);
    await promise;
    waiting.delete(resolve);
    cancel();
    await tell(work, ended);
  }

  async function execute(work: W, left: () => number): Promise<void> {
    const id = idOf(work);
    const { tenantId, deviceId } = work;
    try {
      await known(work, left());
      const ended = await lock(deviceId, () => attempt(work, left()));
      if (await tell({ id, tenantId }, ended)) await store.finish(id);
    } catch (error) {
      log.error({ commandId: id, error }, 'a command failed in the host');
    }
  }

  /** A command that waited for the restart of its driver may come before its device is announced. */
  async function known({ deviceId }: W, left: number): Promise<void> {
    if (devices.has(deviceId)) return;
    await within(clock, left, synced).catch(() => {});
  }

  async function attempt(work: W, left: number): Promise<O | Ended> {
    // It may have waited for its device: what has expired meanwhile is not executed
    // (docs/specification/limits.md, Command).
    if (left <= 0) return expired;
    const device = devices.get(work.deviceId);
    if (device && serving.isElsewhere(device)) return servedElsewhere;
    try {
      return await run(work, clock.now() + left);
    } catch (error) {
      return failure(error, 'FAILED');
    }
  }

  /** How a command ends that is not to be executed; `silent` when its true result is told elsewhere. */
  function refusal(work: W, delivered: number, left: number): Ended | 'silent' | null {
    const id = idOf(work);
    const state = store.state(id);
    // A DUPLICATE now could overtake the true result, which is on the way, or is there already.
    if (state === 'running' || (state === 'finished' && delivered > 1)) return 'silent';
    if (state === 'finished') return duplicate;
    if (state === 'interrupted') return interrupted;
    if (delivered > 1 && changesDevice(work) && !untouched.has(id)) return handedOutBefore;
    return left <= 0 ? expired : null;
  }

  return {
    async handle(work, delivery) {
      const left = countdown(work);
      while (running.size >= MAX_RUNNING) await Promise.race(running);
      const id = idOf(work);
      const { tenantId } = work;
      const refused = refusal(work, delivery.attempt, left());
      if (refused === 'silent')
        return log.warn({ commandId: id }, 'a command was delivered again: not executed again');
      if (refused === handedOutBefore) {
        // The copy that had it first gets the time of the command to tell what it did.
        delivery.ack();
        log.warn({ commandId: id }, 'a command was handed out before: not executed here');
        return track(tellLast({ id, tenantId }, handedOutBefore, left()));
      }
      if (refused) {
        await tell({ id, tenantId }, refused);
        return;
      }
      try {
        await store.start({ commandId: id, tenantId, at: clock.now() });
      } catch (error) {
        if (untouched.size < MAX_UNTOUCHED) untouched.add(id);
        throw error;
      }
      untouched.delete(id);
      delivery.ack();
      track(execute(work, left));
    },

    async answerOrphans() {
      for (const { commandId, tenantId } of store.orphans)
        if (await tell({ id: commandId, tenantId }, interrupted)) await store.finish(commandId);
    },

    async idle() {
      for (const wake of waiting) wake();
      while (running.size > 0) await Promise.all(running);
    },
  };
}

const duplicate: Ended = { status: 'DUPLICATE' };
const expired: Ended = {
  status: 'EXPIRED',
  errorCode: 'EXPIRED',
  errorMessage: 'the command expired before it was executed',
};
const handedOutBefore: Ended = {
  status: 'UNKNOWN',
  errorCode: 'REDELIVERED',
  errorMessage:
    'the command was handed out before and may have been executed then; it was not executed again',
};
const servedElsewhere: Ended = {
  status: 'FAILED',
  errorCode: 'NODE_AWAY',
  errorMessage: 'another driver node serves the device now; nothing was sent to the device',
};
const interrupted: Ended = {
  status: 'UNKNOWN',
  errorCode: 'DRIVER_RESTARTED',
  errorMessage: 'the driver stopped while the command was under way',
};

/** Without a `DriverFailure` nobody said what the device did: the caller says what that means. */
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

/** Holds a driver to its deadline. */
export function bounded<T>(clock: Clock, deadline: number, work: Promise<T>): Promise<T> {
  return within(clock, Math.max(0, deadline - clock.now()) + GRACE_MS, work);
}
