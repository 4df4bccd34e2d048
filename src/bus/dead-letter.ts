import type { TopicName } from './topic/topics.ts';

/** A message that no consumer could take; its payload is kept for a replay and not exposed. */
export type DeadLetter = {
  /** Identifies the letter on this bus. */
  id: string;
  topic: string;
  /** Queue the message was taken from; a replay returns it there. */
  queue: string;
  messageId: string;
  /** `rejected`: the handler failed on every attempt, or the payload does not match the topic's schema. */
  reason: string;
  at: Date;
  bytes: number;
};

export type DeadLetters = {
  /** Oldest first; `forgotten` counts letters dropped for space since the start of this process. */
  list(limit: number): Promise<{ total: number; forgotten: number; letters: DeadLetter[] }>;
  /** Returns letters to their queues, except commands; answers how many. */
  replay(which: Which): Promise<number>;
  drop(which: Which): Promise<number>;
};

/** Ids of letters, or all. */
export type Which = readonly string[] | 'all';

/**
 * Commands to a device are valid for a limited time, which a driver may no longer know after a stay among
 * the dead letters: they can be dropped, not replayed.
 */
const PASSING: ReadonlySet<string> = new Set<TopicName>(['svc.e.point_command', 'svc.e.command']);
export const isReplayable = (topic: string): boolean => !PASSING.has(topic);

const isAmong = (which: Which, id: string): boolean => which === 'all' || which.includes(id);

/** Upper bound of dead letters; beyond it the oldest are dropped. */
export const MAX_DEAD = 10_000;

/** A dead letter of the in-process bus, with its payload. */
type Kept = {
  topic: TopicName;
  /** Queue name and key of the subscription. */
  queue: string;
  key: string;
  messageId: string;
  reason: string;
  at: Date;
  payload: unknown;
};

/** Storage of the in-process bus for its dead letters. */
export type DeadLetterStore = {
  /** Resolves when the letter is stored; answers how many older ones were dropped for it. */
  add(letter: Kept): Promise<number>;
  /** The oldest first. */
  list(limit: number): Promise<{ total: number; letters: (Kept & { id: string })[] }>;
  /** The oldest of these letters newer than `after`; null when there is none. */
  next(which: Which, after: string): Promise<(Kept & { id: string }) | null>;
  remove(which: Which): Promise<number>;
};

/** Store in memory, for a bus without a database; lost with the process. */
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
