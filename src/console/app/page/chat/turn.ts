import { effect, type Signal, signal } from '@preact/signals';

import { Refused } from '../../client/failure.ts';
import type { Schemas } from '../../client/operations.ts';
import { ended, session } from '../../session/session.ts';
import { type Question, readTurn } from './stream.ts';

type Trace = Schemas['Message']['contentExt']['tools'][number];
/** A tool call of an answer, also one that runs. */
export type Step = Pick<Trace, 'callId' | 'name' | 'title' | 'args' | 'result' | 'plots'> & {
  status: 'running' | 'success' | 'failed';
  durationMs: number | null;
};

/** How a turn ended here; what was kept of it says the server. */
export type Ending =
  | { how: 'done' | 'stopped' | 'lost' }
  /** `refused`: nothing was kept; `failed`: it broke off. */
  | { how: 'refused' | 'failed'; said: string };

/** A turn as this page heard it. */
export type Turn = {
  question: Question;
  /** Index of the last message before it. */
  after: number;
  text: string;
  steps: readonly Step[];
  /** Ids of the proposals made in it. */
  actions: readonly string[];
  warnings: readonly string[];
  ending: Ending | null;
};

const turns = new Map<string, Signal<Turn | null>>();
const stops = new Map<string, AbortController>();

/** Counts the turns that began or ended: the list of conversations is another then. */
export const turnsChanged = signal(0);

/** The latest turn of a conversation in this page; it goes on while other pages are looked at. */
export function turnOf(conversationId: string): Signal<Turn | null> {
  const known = turns.get(conversationId) ?? signal<Turn | null>(null);
  turns.set(conversationId, known);
  return known;
}

export const isUnderWay = (turn: Turn | null): boolean => turn !== null && turn.ending === null;

/** Ends the turn that is under way; the server keeps what there is of it. */
export const stopTurn = (conversationId: string): void => stops.get(conversationId)?.abort();

/** Forgets what this page heard of a conversation. */
export function forgetTurn(conversationId: string): void {
  stopTurn(conversationId);
  turns.delete(conversationId);
}

/** Asks in a conversation, after the message `after`. Never rejects: how it ended stands in the turn. */
export async function beginTurn(
  conversationId: string,
  question: Question,
  after: number,
): Promise<void> {
  const cell = turnOf(conversationId);
  if (isUnderWay(cell.value)) return;
  const stop = new AbortController();
  stops.set(conversationId, stop);
  const change = (next: (turn: Turn) => Partial<Turn>): void => {
    const turn = cell.value;
    if (turn) cell.value = { ...turn, ...next(turn) };
  };
  cell.value = { question, after, ...NOTHING };
  let isBegun = false;
  const begun = (): void => {
    isBegun = true;
    turnsChanged.value += 1;
  };
  try {
    await readTurn(conversationId, question, { change, begun }, stop.signal);
    // The stream ended without its end.
    change(({ ending }) => ({ ending: ending ?? { how: 'lost' } }));
  } catch (error) {
    change(({ ending }) => ({ ending: ending ?? endingOf(error, stop.signal.aborted, isBegun) }));
    if (error instanceof Refused && error.status === 401) ended();
  } finally {
    turnsChanged.value += 1;
  }
}

const NOTHING = { text: '', steps: [], actions: [], warnings: [], ending: null } as const;

function endingOf(error: unknown, isStopped: boolean, isBegun: boolean): Ending {
  if (isStopped) return { how: 'stopped' };
  if (error instanceof Refused && !isBegun) return { how: 'refused', said: error.message };
  return { how: 'lost' };
}

// Another person may come.
effect(() => {
  if (session.value !== null) return;
  for (const stop of stops.values()) stop.abort();
  stops.clear();
  turns.clear();
});
