import { hash } from 'node:crypto';

import type { Remark } from './body.ts';

/** Of one sender: a repeat comes soon, or its values have their own times. */
const MAX_IDS = 64;

/** What became of a body: values taken and refused, and those that are stored as BAD. */
export type Taken = {
  taken: number;
  /** The first of them, and how many there are. */
  refused: readonly Remark[];
  refusedCount: number;
  bad: readonly Remark[];
  badCount: number;
};

/** A body as it came first. */
export type Delivery = {
  digest: string;
  /** The time of its values without one; the same when it comes again. */
  receivedAt: number;
  isTaken: boolean;
  /** While it is under way. */
  underWay: Promise<Taken> | null;
};

/** The last ids of each sender, with what came under them. */
export class Deliveries {
  readonly #bySender = new Map<string, Map<string, Delivery>>();

  /** The delivery of that id, made where there is none; null where another body came under the id. */
  of(sender: string, id: string, body: Buffer, now: number): Delivery | null {
    const known = this.#bySender.get(sender) ?? new Map<string, Delivery>();
    this.#bySender.set(sender, known);
    const key = hash('sha256', id, 'base64').slice(0, 22);
    const digest = hash('sha256', body, 'base64').slice(0, 22);
    const found = known.get(key);
    if (found) return found.digest === digest ? found : null;
    const made: Delivery = { digest, receivedAt: now, isTaken: false, underWay: null };
    known.set(key, made);
    const [oldest] = known.keys();
    if (known.size > MAX_IDS && oldest !== undefined) known.delete(oldest);
    return made;
  }

  forget(sender: string): void {
    this.#bySender.delete(sender);
  }
}
