import type { TopicName } from './topics.ts';

/** A message that no consumer could take; what it says is kept for its replay and not shown. */
export type DeadLetter = {
  /** Names it among the dead letters of this bus. */
  id: string;
  topic: string;
  /** The queue it was taken from, and goes back to. */
  queue: string;
  messageId: string;
  /** `rejected`: its handler failed each time, or it is no message of its topic. */
  reason: string;
  at: Date;
  bytes: number;
};

export type DeadLetters = {
  /** The oldest first; `forgotten`: those that had to make room since this process started. */
  list(limit: number): Promise<{ total: number; forgotten: number; letters: DeadLetter[] }>;
  /** Puts them back into their queues, all but commands; answers how many. */
  replay(which: Which): Promise<number>;
  drop(which: Which): Promise<number>;
};

/** Those with these ids, or all. */
export type Which = readonly string[] | 'all';

/**
 * What a device is asked to do has its time, which a driver may no longer know of a message that waited
 * among the dead letters: it is only dropped.
 */
const PASSING: ReadonlySet<string> = new Set<TopicName>(['svc.e.point_command', 'svc.e.command']);
export const isReplayable = (topic: string): boolean => !PASSING.has(topic);

const isAmong = (which: Which, id: string): boolean => which === 'all' || which.includes(id);

/** More make the oldest go. */
export const MAX_DEAD = 10_000;

/** A dead letter of the in-process bus, whole. */
type Kept = {
  topic: TopicName;
  /** What it was subscribed with: the queue's name and key. */
  queue: string;
  key: string;
  messageId: string;
  reason: string;
  at: Date;
  payload: unknown;
};

/** Where the in-process bus keeps its dead letters. */
export type DeadLetterStore = {
  /** Resolves when it is kept; answers how many older ones had to go for it. */
  add(letter: Kept): Promise<number>;
  /** The oldest first. */
  list(limit: number): Promise<{ total: number; letters: (Kept & { id: string })[] }>;
  /** The oldest of these that is newer than `after`; null when there is none. */
  next(which: Which, after: string): Promise<(Kept & { id: string }) | null>;
  remove(which: Which): Promise<number>;
};

/** For a bus without a database: gone with the process. */
export function createHeldLetters(): DeadLetterStore {
  let letters: (Kept & { id: string })[] = [];
  let count = 0;
  return {
    async add(letter) {
      count += 1;
      letters.push({ ...letter, id: String(count) });
      return letters.splice(0, letters.length - MAX_DEAD).length;
    },
    list: async (limit) => ({ total: letters.length, letters: letters.slice(0, limit) }),
    next: async (which, after) =>
      letters.find(({ id }) => Number(id) > Number(after) && isAmong(which, id)) ?? null,
    async remove(which) {
      const before = letters.length;
      letters = letters.filter(({ id }) => !isAmong(which, id));
      return before - letters.length;
    },
  };
}
