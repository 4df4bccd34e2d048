import { ZodError } from 'zod';

import { type Bus, MessageTooLarge } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { within } from '../wait.ts';
import type { Loss } from './gaps.ts';
import type { Batch } from './record.ts';
import type { Spool } from './spool.ts';

/** As long as the bus takes a missing confirm for an outage. */
const CONFIRM_MS = 2_000;
const ALARM_MS = 10_000;
const LOOK_MS = 1_000;
/** Values from disk per second, beside those that are collected meanwhile. */
const RATE = 5_000;

type Parts = { spool: Spool; bus: Bus; clock: Clock; log: Log; node: string };

/** Publishes values while the message bus takes them and stores them in the spool while it does not. */
export class SpooledValues {
  readonly #parts: Parts;
  readonly #cancel: () => void;
  /** A publish failed, and none from the spool has succeeded since. */
  #isDown = false;
  /** Batches on their way to the disk. */
  #storing = 0;
  #stopped = false;
  #endPause: () => void = () => {};
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cancel = parts.clock.every(LOOK_MS, () => (this.#sending = this.#sendAll()));
  }

  /** Resolves once the batch is at the bus or on disk; rejects where neither takes it. */
  async send(batch: Batch): Promise<void> {
    const { bus, spool, log } = this.#parts;
    if (!this.#isDown && bus.isUp())
      try {
        return await this.#publish(batch);
      } catch (error) {
        if (isOfMessage(error)) throw error;
        this.#isDown = true;
        log.warn({ error }, 'values are stored on disk until the message bus takes them');
      }
    this.#storing += 1;
    await spool.add(batch).finally(() => (this.#storing -= 1));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#endPause();
    await this.#sending;
    await this.#parts.spool.close();
  }

  /** `urgent`: a lost connection fails it at once, and it is not sent again on the next one. */
  #publish(batch: Batch): Promise<void> {
    const { bus, clock } = this.#parts;
    const sent = bus.publish('svc.e.value', batch, { key: batch.driverCode, urgent: true });
    return within(clock, CONFIRM_MS, sent);
  }

  /** A segment of each tenant in turn, until nothing waits or the bus fails. */
  async #sendAll(): Promise<void> {
    const { spool, bus, log } = this.#parts;
    if (!bus.isUp()) return;
    try {
      let waiting = spool.waiting();
      if (waiting.length === 0 && this.#storing === 0) this.#isDown = false;
      for (; waiting.length > 0 && !this.#stopped; waiting = spool.waiting())
        for (const tenantId of waiting) await this.#sendOldest(tenantId);
    } catch (error) {
      this.#isDown = true;
      log.debug({ error }, 'values on disk could not be sent yet');
    }
  }

  async #sendOldest(tenantId: string): Promise<void> {
    const { spool, log } = this.#parts;
    await this.#reportGaps(tenantId);
    const segment = await spool.take(tenantId);
    if (!segment) return;
    try {
      for (const batch of segment.batches) {
        if (this.#stopped) return segment.giveBack();
        await this.#publish(batch).catch((error: unknown) => {
          if (!isOfMessage(error)) throw error;
          log.error({ tenantId, values: batch.values.length, error }, 'values cannot be sent');
        });
        this.#isDown = false;
        await this.#pause((batch.values.length / RATE) * 1000);
      }
    } catch (error) {
      segment.giveBack();
      throw error;
    }
    await segment.sent();
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(ms, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    return promise;
  }

  /** Marks of what was dropped, and an alarm of each driver about it. */
  async #reportGaps(tenantId: string): Promise<void> {
    const { spool, bus, clock, node } = this.#parts;
    const gaps = spool.takeGaps(tenantId);
    if (gaps.isEmpty) return;
    try {
      for (const marks of gaps.marks(tenantId)) await this.#publish(marks);
      for (const loss of gaps.losses()) {
        const alarm = alarmOf(tenantId, node, loss);
        const sent = bus.publish('svc.e.alarm', alarm, { key: loss.driverCode, urgent: true });
        await within(clock, ALARM_MS, sent);
      }
    } catch (error) {
      spool.giveBackGaps(tenantId, gaps);
      throw error;
    }
    await spool.gapsReported(tenantId);
  }
}

/** No later try delivers it. */
const isOfMessage = (error: unknown): boolean =>
  error instanceof MessageTooLarge || error instanceof ZodError;

const alarmOf = (tenantId: string, node: string, { driverId, ...loss }: Loss) =>
  ({
    tenantId,
    target: 'DRIVER',
    entityId: driverId,
    type: 'REPORT',
    source: 'DRIVER_REPORT',
    message: `${loss.dropped} values of ${loss.points} points, measured from ${iso(loss.from)} to ${iso(loss.to)}, were dropped by node ${node}: the message bus was unavailable and the spool of the driver full`,
    occurTime: loss.to,
  }) as const;

const iso = (ms: number): string => new Date(ms).toISOString();
