import { availableParallelism } from 'node:os';

import { TooManyRequests } from '../../core/errors.ts';

const MAX_RUNNING = Math.max(2, availableParallelism());
const MAX_WAITING = 64;

type Waiting = { go(): void; refuse(error: Error): void };

let running = 0;
let waiting = 0;
/** By source, in the order of their turns; none is empty. */
const queues = new Map<string, Waiting[]>();

/**
 * Runs one password hash, at most one per core at a time in this process, because each costs 19 MiB
 * and tens of milliseconds. A bounded number waits, the sources taking turns; the rest get
 * TooManyRequests (429). When all places are taken, the source that has most of them gives one up for a
 * source that has fewer: no source can keep the others out.
 */
export async function gated<T>(source: string, hash: () => Promise<T>): Promise<T> {
  if (running >= MAX_RUNNING) {
    makeRoom(source);
    // Whatever leaves hands its place on, so `running` stays as it is.
    await new Promise<void>((go, refuse) => join(source, { go, refuse }));
  } else {
    running += 1;
  }
  try {
    return await hash();
  } finally {
    const next = takeNext();
    if (next) next.go();
    else running -= 1;
  }
}

function join(source: string, place: Waiting): void {
  const queue = queues.get(source);
  if (queue) queue.push(place);
  else queues.set(source, [place]);
  waiting += 1;
}

/** The first of the source whose turn it is; the source goes to the end of the line. */
function takeNext(): Waiting | undefined {
  const [turn] = queues;
  if (!turn) return undefined;
  const [source, queue] = turn;
  queues.delete(source);
  const next = queue.shift();
  if (queue.length > 0) queues.set(source, queue);
  waiting -= 1;
  return next;
}

function makeRoom(source: string): void {
  if (waiting < MAX_WAITING) return;
  const full = new TooManyRequests('Too many logins at once', 1);
  const own = queues.get(source)?.length ?? 0;
  const [longest] = [...queues.values()].toSorted((one, other) => other.length - one.length);
  if (!longest || longest.length <= own + 1) throw full;
  longest.pop()?.refuse(full);
  waiting -= 1;
}
