import type { App } from '../../kernel/app/app.ts';
import { type Budget, BUDGETS } from '../../kernel/process/agent-budget.ts';
import { slot } from '../../kernel/slot.ts';

export type Amounts = Record<Budget, number>;

/** What a budget is of; a principal uses what all its connections and chats use. */
export type Subject = { tenantId: string; kind: 'connection' | 'principal'; id: string };

const BUCKET_MS = 300_000;
/** A bucket counts for an hour from its beginning, so that what is used counts for 55 to 60 minutes. */
export const HOUR_MS = 3_600_000;
const MAX_SUBJECTS = 10_000;

/** Amounts by the beginning of their bucket (ms since the epoch). */
export type Buckets = Map<number, Amounts>;

export type Usage = {
  subject: Subject;
  /** As last read from the database. */
  stored: Buckets;
  /** Used in this process and not yet seen in the database. */
  fresh: Buckets;
};

const nothing = (): Amounts => ({ calls: 0, deviceReads: 0, proposals: 0, outputTokens: 0 });

/** The usage of subjects, the last used at the end, and those with something to write. */
export const AGENT_USAGE = slot(() => ({
  known: new Map<string, Usage>(),
  unwritten: new Set<Usage>(),
  writing: Promise.resolve(),
  isBusy: false,
  /** Nothing more is waited for: the rest is written at once. */
  isHurried: false,
  /** Ends the wait before the next write. */
  go: () => {},
}));

const keyOf = ({ tenantId, kind, id }: Subject): string => `${tenantId}:${kind}:${id}`;

/** The usage of a subject if this process has read it; it is the last to be dropped for others then. */
export function knownUsage(app: App, subject: Subject): Usage | undefined {
  const { known } = app.of(AGENT_USAGE);
  const key = keyOf(subject);
  const usage = known.get(key);
  if (usage) {
    known.delete(key);
    known.set(key, usage);
  }
  return usage;
}

/** Keeps what was read of a subject, in place of what was read before. */
export function keepUsage(app: App, subject: Subject, stored: Buckets): Usage {
  const { known, unwritten } = app.of(AGENT_USAGE);
  const usage = known.get(keyOf(subject)) ?? { subject, stored, fresh: new Map() };
  usage.stored = stored;
  if (known.size >= MAX_SUBJECTS)
    for (const [key, idle] of known)
      if (!unwritten.has(idle)) {
        known.delete(key);
        break;
      }
  known.set(keyOf(subject), usage);
  return usage;
}

/** Adds to the present bucket. */
export function add({ fresh }: Usage, used: Partial<Amounts>, now: number): void {
  const begin = now - (now % BUCKET_MS);
  const sum = fresh.get(begin) ?? nothing();
  for (const budget of BUDGETS) sum[budget] += used[budget] ?? 0;
  fresh.set(begin, sum);
}

/** What was used in the last hour. */
export function totalOf({ stored, fresh }: Usage, now: number): Amounts {
  const total = nothing();
  for (const buckets of [stored, fresh])
    for (const [begin, sum] of buckets)
      if (begin > now - HOUR_MS) for (const budget of BUDGETS) total[budget] += sum[budget];
  return total;
}

/** When less than `limit` of a budget is used again if nothing is used meanwhile (ms since the epoch). */
export function freeAt(usage: Usage, budget: Budget, limit: number, now: number): number {
  const { stored, fresh } = usage;
  const begins = [...new Set([...stored.keys(), ...fresh.keys()])].toSorted((a, b) => a - b);
  let left = totalOf(usage, now)[budget];
  for (const begin of begins) {
    if (begin <= now - HOUR_MS) continue;
    left -= (stored.get(begin)?.[budget] ?? 0) + (fresh.get(begin)?.[budget] ?? 0);
    if (left < limit) return begin + HOUR_MS;
  }
  return now + HOUR_MS;
}
