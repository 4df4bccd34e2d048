import { effect, type Signal, signal } from '@preact/signals';

import { call } from '../../client/call.ts';
import { Refused } from '../../client/failure.ts';
import type { Schemas } from '../../client/operations.ts';
import { ended, session } from '../../client/session.ts';
import { followTurn, type Question, readTurn } from './stream.ts';

export type Citation = NonNullable<Schemas['Message']['contentExt']['citations']>[number];
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
  citations: readonly Citation[];
  warnings: readonly string[];
  /** The connection was lost, and is tried again. */
  isAway: boolean;
  ending: Ending | null;
};

const turns = new Map<string, Signal<Turn | null>>();
const stops = new Map<string, { leave(): void; stop(): void }>();
/** Waits before each attempt to follow a turn after its connection was lost. */
const RETRY_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];

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
export const stopTurn = (conversationId: string): void => stops.get(conversationId)?.stop();

/** Forgets what this page heard of a conversation. */
export function forgetTurn(conversationId: string): void {
  stopTurn(conversationId);
  turnOf(conversationId).value = null;
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
  let turnId: string | null = null;
  let last = 0;
  stops.set(conversationId, {
    leave: () => stop.abort(),
    stop() {
      stop.abort();
      // It goes on without its client.
      if (turnId !== null)
        void call('POST /agentic/session/turn/stop', { turn: turnId }).catch(() => {});
    },
  });
  const change = (next: (turn: Turn) => Partial<Turn>): void => {
    const turn = cell.value;
    if (turn) cell.value = { ...turn, ...next(turn) };
  };
  cell.value = { question, after, ...NOTHING };
  let isBegun = false;
  const begun = (id: string): void => {
    turnId = id;
    isBegun = true;
    turnsChanged.value += 1;
  };
  try {
    const at = (event: number): void => {
      last = event;
      if (cell.value?.isAway) change(() => ({ isAway: false }));
    };
    const hearing = { change, begun, at };
    const isOver = (): boolean => cell.value === null || cell.value.ending !== null;
    await readTurn(conversationId, question, hearing, stop.signal).catch((error: unknown) => {
      if (!isBegun || stop.signal.aborted) throw error;
    });
    for (const wait of RETRY_MS) {
      if (isOver() || turnId === null || stop.signal.aborted) break;
      change(() => ({ isAway: true }));
      await new Promise((resolve) => setTimeout(resolve, wait));
      await followTurn(turnId, last, hearing, stop.signal).catch((error: unknown) => {
        // Not here any more: what was kept of it is read from the conversation.
        if (error instanceof Refused && error.status !== 503) throw error;
      });
    }
    // The stream ended without its end.
    change(({ ending }) => ({
      ending: ending ?? { how: stop.signal.aborted ? 'stopped' : 'lost' },
    }));
  } catch (error) {
    change(({ ending }) => ({ ending: ending ?? endingOf(error, stop.signal.aborted, isBegun) }));
    if (error instanceof Refused && error.status === 401) ended();
  } finally {
    stops.delete(conversationId);
    turnsChanged.value += 1;
  }
}

const NOTHING = {
  text: '',
  steps: [],
  actions: [],
  citations: [],
  warnings: [],
  isAway: false,
  ending: null,
} as const;

function endingOf(error: unknown, isStopped: boolean, isBegun: boolean): Ending {
  if (isStopped) return { how: 'stopped' };
  if (error instanceof Refused && !isBegun) return { how: 'refused', said: error.message };
  return { how: 'lost' };
}

// Another person may come.
effect(() => {
  if (session.value !== null) return;
  for (const { leave } of stops.values()) leave();
  stops.clear();
  turns.clear();
});
