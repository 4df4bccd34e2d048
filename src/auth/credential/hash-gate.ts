import { availableParallelism } from 'node:os';

import { TooManyRequests } from '../../kernel/errors.ts';

const MAX_RUNNING = Math.max(2, availableParallelism());
const MAX_WAITING = 64;

type Waiting = { go(): void; refuse(error: Error): void };

/** The client that a hash is computed for. */
export type HashClient = {
  /** An address, or a principal. */
  source: string;
  /** It logged in from this source before, is logged in, or has just given the right password. */
  isKnown: boolean;
};

/** Queues by source, in the order of their turns; none is empty. */
type Line = { queues: Map<string, Waiting[]>; waiting: number };

const newLine = (): Line => ({ queues: new Map(), waiting: 0 });
/** Two lines, so that no number of unknown clients can take the places of known ones. */
const knownLine = newLine();
const strangerLine = newLine();

let running = 0;
let isKnownNext = true;

/**
 * Runs one password hash, at most one per core at a time in this process, because each costs 19 MiB and
 * tens of milliseconds. Known and unknown clients wait in two bounded lines, which alternate; within a line
 * the sources take turns. In a full line the source with most places gives one up for a source with fewer,
 * so that no source keeps the others out; otherwise throws TooManyRequests (429).
 */
export async function gated<T>(client: HashClient, hash: () => Promise<T>): Promise<T> {
  if (running >= MAX_RUNNING) {
    const line = client.isKnown ? knownLine : strangerLine;
    makeRoom(line, client.source);
    // A finished hash passes its slot on, so `running` stays unchanged.
    await new Promise<void>((go, refuse) => join(line, client.source, { go, refuse }));
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

function join(line: Line, source: string, place: Waiting): void {
  const queue = line.queues.get(source);
  if (queue) queue.push(place);
  else line.queues.set(source, [place]);
  line.waiting += 1;
}

/** The next of the line that is due, or of the other line if that one is empty. */
function takeNext(): Waiting | undefined {
  const [line, other] = isKnownNext ? [knownLine, strangerLine] : [strangerLine, knownLine];
  isKnownNext = !isKnownNext;
  return takeFrom(line) ?? takeFrom(other);
}

/** The first of the source that is due; the source moves to the end of the line. */
function takeFrom(line: Line): Waiting | undefined {
  const [turn] = line.queues;
  if (!turn) return undefined;
  const [source, queue] = turn;
  line.queues.delete(source);
  const next = queue.shift();
  if (queue.length > 0) line.queues.set(source, queue);
  line.waiting -= 1;
  return next;
}

function makeRoom(line: Line, source: string): void {
  const { queues } = line;
  if (line.waiting < MAX_WAITING) return;
  const full = new TooManyRequests('Too many logins at once', 1);
  const own = queues.get(source)?.length ?? 0;
  const [longest] = [...queues.values()].toSorted((one, other) => other.length - one.length);
  if (!longest || longest.length <= own + 1) throw full;
  longest.pop()?.refuse(full);
  line.waiting -= 1;
}
