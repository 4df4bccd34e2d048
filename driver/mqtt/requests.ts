import { randomUUID } from 'node:crypto';

import type { Clock } from '../../src/kernel/clock.ts';
import { boundPoint } from '../report/bound.ts';
import { Expected } from '../report/expected.ts';
import { filledPayload } from '../report/payload.ts';
import { type DriverDevice, DriverFailure, type DriverPoint, type Reading } from '../sdk/driver.ts';
import { misconfigured, offline, refused, reportsOnly, silent } from '../sdk/failure.ts';
import type { BoundDevice, BoundPoint } from './binding.ts';
import type { Outgoing } from './broker/connection.ts';
import { binaryBytes } from './broker/payload.ts';
import { Replies, type Reply } from './replies.ts';

/** How often a device that can be asked is asked again whether it holds what was written. */
const ASK_MS = 1_000;

export type RequestParts = {
  clock: Clock;
  /** The device with its settings. Throws `DriverFailure`. */
  bound(device: DriverDevice): BoundDevice;
  /** Sends by the device's broker. Throws `DriverFailure`. */
  send(device: DriverDevice, message: Outgoing, deadline: number): Promise<void>;
};

export const keyOf = (device: Pick<DriverDevice, 'id'>, point: Pick<DriverPoint, 'id'>): string =>
  `${device.id}/${point.id}`;

/** Reads and writes of points: what a broker takes is no answer of a device, so each waits for one. */
export class Requests {
  readonly #parts: RequestParts;
  readonly expected = new Expected();
  readonly replies = new Replies();

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  async read(device: DriverDevice, point: DriverPoint, deadline: number): Promise<Reading> {
    const bound = boundPoint(this.#parts.bound(device), point);
    if (bound.readTopic === '') throw reportsOnly();
    const key = keyOf(device, point);
    const { shown } = this.expected.expect(key, null, this.#parts.clock.now());
    try {
      await this.#ask(device, bound, deadline);
      return await this.#until(deadline, shown.promise, () =>
        silent(`nothing came at ${bound.filter}`),
      );
    } finally {
      this.expected.forget(key);
    }
  }

  async write(
    device: DriverDevice,
    point: DriverPoint,
    raw: string,
    deadline: number,
  ): Promise<void> {
    const { clock, bound: boundOf, send } = this.#parts;
    const bound = boundPoint(boundOf(device), point);
    if (bound.writeTopic === '') throw misconfigured('writeTopic: the point has none');
    const [id, correlation] = [randomUUID(), Buffer.from(randomUUID())];
    const payload = payloadOf(bound, { raw, id, device });
    const { replyTopic, writeTopic: topic } = bound;
    const answered = Promise.withResolvers<Reply>();
    const ignore = this.replies.expect(replyTopic, {
      id,
      correlation,
      settings: bound.settings,
      answer: answered.resolve,
    });
    const key = keyOf(device, point);
    const isReadable = point.rw !== 'WRITE_ONLY';
    const expectation = isReadable ? this.expected.expect(key, raw, clock.now()) : null;
    const shown = expectation?.shown.promise.then(() => 'shown' as const);
    const reply = replyTopic === '' ? undefined : answered.promise;
    const cancel = isReadable ? this.#askOn(device, bound, deadline) : () => {};
    try {
      await send(
        device,
        { topic, payload, ...(replyTopic && { reply: { topic: replyTopic, correlation } }) },
        deadline,
      );
      const evidence = [...(shown ? [shown] : []), ...(reply ? [reply] : [])];
      if (evidence.length === 0) throw unconfirmed('the device has no way to say what it did');
      const first = await this.#until(deadline, Promise.race(evidence), () =>
        unconfirmed(otherOf(expectation?.other) ?? 'the device did not say what it did'),
      );
      if (first !== 'shown') demandOk(first);
    } catch (error) {
      this.expected.forget(key);
      throw error;
    } finally {
      ignore();
      cancel();
    }
  }

  /** What the device reported since the write; waits until it shows the written value or time is up. */
  async readBack(
    device: DriverDevice,
    point: DriverPoint,
    raw: string,
    deadline: number,
  ): Promise<Reading> {
    const { clock } = this.#parts;
    const bound = boundPoint(this.#parts.bound(device), point);
    const key = keyOf(device, point);
    const expectation = this.expected.of(key) ?? this.expected.expect(key, raw, clock.now());
    const cancel = this.#askOn(device, bound, deadline);
    try {
      return await this.#until(deadline, expectation.shown.promise, () =>
        silent('it reported no value after the write'),
      );
    } catch (error) {
      if (expectation.other) return expectation.other;
      throw error;
    } finally {
      cancel();
      this.expected.forget(key);
    }
  }

  /** The device went offline: what waits for it ends now. */
  gone(device: DriverDevice): void {
    for (const point of device.points)
      this.expected.gone(keyOf(device, point), ({ isRead }) =>
        isRead
          ? offline('the device went offline before it answered')
          : unconfirmed('the device went offline before it said what it did'),
      );
  }

  #ask(device: DriverDevice, { readTopic: topic, settings }: BoundPoint, deadline: number) {
    return this.#parts.send(device, { topic, payload: settings.readPayload }, deadline);
  }

  /** Asks again and again, if the point can be asked for, until that is cancelled. */
  #askOn(device: DriverDevice, bound: BoundPoint, deadline: number): () => void {
    const { clock } = this.#parts;
    if (bound.readTopic === '') return () => {};
    return clock.every(ASK_MS, () => void this.#ask(device, bound, deadline).catch(() => {}));
  }

  #until<T>(deadline: number, work: Promise<T>, late: () => DriverFailure): Promise<T> {
    return untilLate(this.#parts.clock, deadline, work, late);
  }
}

/** What `work` answers by the deadline (ms since epoch); else throws what `late` makes. */
export async function untilLate<T>(
  clock: Clock,
  deadline: number,
  work: Promise<T>,
  late: () => DriverFailure,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(Math.max(0, deadline - clock.now()), () => reject(late()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}

export const unconfirmed = (why: string): DriverFailure =>
  new DriverFailure('NOT_CONFIRMED', `the broker took the message; ${why}`, 'UNKNOWN');

const otherOf = (reading: Reading | null | undefined): string | undefined => {
  if (!reading) return undefined;
  return reading.invalid
    ? 'what the device reported after it is no value'
    : `the device reported ${reading.rawValue.slice(0, 100)} after it`;
};

/** Throws `DriverFailure` for an answer that is no. */
export function demandOk({ isOk, text, isOurs }: Reply): void {
  if (isOk) return;
  if (isOurs) throw refused(`the device answered ${text.slice(0, 200)}`);
  // It may be the answer to another one.
  throw unconfirmed(`an answer without an id says ${text.slice(0, 200)}`);
}

/** What is sent to write `raw`. Throws `DriverFailure` for what the format cannot say. */
function payloadOf(
  { point, settings }: BoundPoint,
  { raw, id, device }: { raw: string; id: string; device: DriverDevice },
): Buffer | string {
  const { format, writePayload } = settings;
  if (format === 'json' || format === 'text')
    return filledPayload(writePayload, {
      point,
      settings,
      raw,
      isJson: format === 'json',
      names: { id, device: device.name, point: settings.name || point.name },
    });
  const text = point.type === 'BOOLEAN' ? String(Number(raw === 'true')) : raw;
  return binaryBytes(text, { ...settings, format });
}
