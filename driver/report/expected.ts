import type { Reading } from '../sdk/driver.ts';

const FLOAT = 2 ** -23;

/** How much the clock of a device may be behind for a report of it to count as sent after a write. */
export const BEHIND_MS = 2_000;

/** What a command waits for: any report of a point, or one that shows what was written. */
type Expectation = {
  since: number;
  /** Null for a read. */
  raw: string | null;
  /** The last report since that shows another value. */
  other: Reading | null;
  shown: PromiseWithResolvers<Reading>;
  isShown: boolean;
};

/** Reports that answer a read or a write, by point of a device: one command of a device is under way at a time. */
export class Expected {
  readonly #waiting = new Map<string, Expectation>();

  /** `since`: milliseconds since the epoch; what was sent earlier says nothing of the command. */
  expect(key: string, raw: string | null, since: number): Expectation {
    const expectation: Expectation = {
      since,
      raw,
      other: null,
      shown: Promise.withResolvers<Reading>(),
      isShown: false,
    };
    // Nothing may wait for it when the device goes offline.
    expectation.shown.promise.catch(() => {});
    this.#waiting.set(key, expectation);
    return expectation;
  }

  of(key: string): Expectation | undefined {
    return this.#waiting.get(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** The device went offline: nothing more comes. */
  gone(key: string, failure: (of: { isRead: boolean }) => Error): void {
    const waiting = this.#waiting.get(key);
    waiting?.shown.reject(failure({ isRead: waiting.raw === null }));
  }

  /** Takes a report that was not stored anywhere; true for one that a command answers with, so it is not reported twice. */
  offer(key: string, reading: Reading): boolean {
    const waiting = this.#waiting.get(key);
    if (!waiting || waiting.isShown || reading.originTime < waiting.since - BEHIND_MS) return false;
    if (waiting.raw !== null && (reading.invalid || !isSame(reading.rawValue, waiting.raw))) {
      waiting.other = reading;
      return false;
    }
    waiting.isShown = true;
    waiting.shown.resolve(reading);
    return true;
  }
}

/** Equal as text, as truth, as whole numbers, or as numbers within the digits that a float keeps (2^-23 of it). */
export function isSame(held: string, written: string): boolean {
  const [one, two] = [held.trim().toLowerCase(), written.trim().toLowerCase()];
  if (held === written) return true;
  const truth: Record<string, number> = { true: 1, false: 0 };
  const [a, b] = [truth[one] ?? Number(one), truth[two] ?? Number(two)];
  if (one === '' || two === '') return false;
  const areWhole = Number.isInteger(a) && Number.isInteger(b);
  return areWhole ? a === b : Math.abs(a - b) <= Math.abs(b) * FLOAT;
}
