import type { Clock } from './clock.ts';

type Patience = {
  /** As long as it takes without it. */
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Those that wait for their turn, in the order in which they came. */
export class Waiting {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #turns = new Set<() => void>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Resolves at its turn; rejects with `late()` after `waitMs`, and with the reason of `signal`. */
  async turn({ waitMs, signal }: Patience, late: () => Error): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => leave(() => reject(signal?.reason));
    const cancel =
      waitMs === undefined
        ? undefined
        : this.#clock.after(waitMs, () => leave(() => reject(late())));
    const take = (): void => leave(resolve);
    const leave = (end: () => void): void => {
      cancel?.();
      signal?.removeEventListener('abort', abort);
      this.#turns.delete(take);
      end();
    };
    signal?.addEventListener('abort', abort);
    this.#turns.add(take);
    return promise;
  }

  /** It is the turn of the one that has waited longest; false when none waits. */
  next(): boolean {
    const [take] = this.#turns;
    take?.();
    return take !== undefined;
  }
}

type Limits = {
  /** How much work is done at a time. */
  atOnce: number;
  /** How much work waits at most. */
  maxWaiting?: number;
  waitMs?: number;
  /** What is thrown for work that has no place, or waited too long. */
  refusal?: () => Error;
};

/**
 * Queues by key: of each key so much work is done at a time, the rest waits in order and holds nothing but its place.
 * Keys do not wait for each other.
 */
export class KeyedQueue {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #limits: Limits;
  readonly #queues = new Map<string, { running: number; waiting: Waiting }>();

  constructor(clock: Pick<Clock, 'after'>, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#queues.size;
  }

  /** How much work of this key waits for its turn. */
  waiting(key: string): number {
    return this.#queues.get(key)?.waiting.size ?? 0;
  }

  /** Runs `work` when its turn has come; throws the refusal of the queue, or the reason of `signal`. */
  async run<T>(
    key: string,
    work: () => Promise<T>,
    { waitMs = this.#limits.waitMs, signal }: Patience = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const queue = this.#queues.get(key) ?? { running: 0, waiting: new Waiting(this.#clock) };
    this.#queues.set(key, queue);
    const { atOnce, maxWaiting = Infinity, refusal = () => new Error('no place') } = this.#limits;
    if (queue.running < atOnce) queue.running += 1;
    else if (queue.waiting.size >= maxWaiting || (waitMs ?? 1) <= 0) throw refusal();
    else await queue.waiting.turn({ waitMs, signal }, refusal);
    try {
      return await work();
    } finally {
      // The next one takes over the place.
      if (!queue.waiting.next()) queue.running -= 1;
      if (queue.running === 0 && this.#queues.get(key) === queue) this.#queues.delete(key);
    }
  }

  /** The next work of this key is the first of a new queue, and waits for none. */
  forget(key: string): void {
    this.#queues.delete(key);
  }
}

/** Runs work when its turn has come. */
export type Queue = {
  <T>(work: () => Promise<T>, patience?: Patience): Promise<T>;
  /** How much work waits for its turn. */
  waiting(): number;
};

/** One queue for all work. */
export function createQueue(clock: Pick<Clock, 'after'>, limits: Limits): Queue {
  const queues = new KeyedQueue(clock, limits);
  const run = <T>(work: () => Promise<T>, patience?: Patience): Promise<T> =>
    queues.run('', work, patience);
  return Object.assign(run, { waiting: () => queues.waiting('') });
}
