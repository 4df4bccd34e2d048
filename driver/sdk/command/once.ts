import type { Delivery } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log.ts';
import { type DriverDevice, DriverFailure } from '../driver.ts';
import { retry, within } from '../wait.ts';
import type { DeviceLock } from './device-lock.ts';
import type { CommandStore } from './store.ts';

/** Something a device is asked to do, until it expires. */
type Work = { tenantId: string; deviceId: string; expireAt: number };
/** How it ended; what it led to is the kind's own. */
export type Ended = {
  status: 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'DUPLICATE' | 'UNKNOWN';
  errorCode?: string;
  errorMessage?: string;
};

const MAX_RUNNING = 256;
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
  /** Resolves once all devices are known. */
  synced: Promise<void>;
  lock: DeviceLock;
  clock: Clock;
  log: Log;
};

/** Does what devices are asked for at most once each (DESIGN.md, Settled questions: At most once). */
export function createOnce<W extends Work, O extends Ended>({
  idOf,
  run,
  publish,
  store,
  devices,
  synced,
  lock,
  clock,
  log,
}: OnceParts & {
  idOf(work: W): string;
  /** May throw: what is no `DriverFailure` counts as FAILED. */
  run(work: W): Promise<O>;
  publish(work: { id: string; tenantId: string }, ended: O | Ended): Promise<void>;
  store: CommandStore;
}): Once<W> {
  const running = new Set<Promise<void>>();

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

  async function execute(work: W): Promise<void> {
    const id = idOf(work);
    const { tenantId, deviceId } = work;
    try {
      await known(work);
      const ended = await lock(deviceId, () => attempt(work));
      if (await tell({ id, tenantId }, ended)) await store.finish(id);
    } catch (error) {
      log.error({ commandId: id, error }, 'a command failed in the host');
    }
  }

  /** A command that waited for the restart of its driver may come before its device is announced. */
  async function known({ deviceId, expireAt }: W): Promise<void> {
    if (devices.has(deviceId)) return;
    await within(clock, expireAt - clock.now(), synced).catch(() => {});
  }

  async function attempt(work: W): Promise<O | Ended> {
    // It may have waited for its device: what has expired meanwhile is not executed (SPEC.md, Limits).
    if (clock.now() >= work.expireAt) return expired;
    try {
      return await run(work);
    } catch (error) {
      return failure(error, 'FAILED');
    }
  }

  return {
    async handle(work, delivery) {
      while (running.size >= MAX_RUNNING) await Promise.race(running);
      const id = idOf(work);
      const { tenantId } = work;
      const state = store.state(id);
      if (state === 'running') {
        // Its true result is on the way; a DUPLICATE now could overtake it.
        log.warn({ commandId: id }, 'a command that is under way was delivered again');
        return;
      }
      const refusal = state === 'known' ? duplicate : clock.now() >= work.expireAt ? expired : null;
      if (refusal) {
        await tell({ id, tenantId }, refusal);
        return;
      }
      await store.start({ commandId: id, tenantId, at: clock.now() });
      delivery.ack();
      track(execute(work));
    },

    async answerOrphans() {
      for (const { commandId, tenantId } of store.orphans)
        if (await tell({ id: commandId, tenantId }, interrupted)) await store.finish(commandId);
    },

    async idle() {
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
const interrupted: Ended = {
  status: 'UNKNOWN',
  errorCode: 'DRIVER_RESTARTED',
  errorMessage: 'the driver stopped while the command was under way',
};

/** Without a `DriverFailure` nobody said what the device did: the caller says what that means. */
export function failure(error: unknown, otherwise: 'FAILED' | 'UNKNOWN'): Ended {
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
