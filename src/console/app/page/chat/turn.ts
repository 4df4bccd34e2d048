import { effect, type Signal, signal } from '@preact/signals';

import { call, type InputOf } from '../../client/call.ts';
import { readEvents } from '../../client/events.ts';
import { Refused } from '../../client/failure.ts';
import type { Schemas } from '../../client/operations.ts';
import { ended, session } from '../../client/session.ts';

export type Citation = NonNullable<Schemas['Message']['contentExt']['citations']>[number];
/** What the platform knows at the end of an answer. */
export type Facts = NonNullable<Schemas['Message']['contentExt']['facts']>;
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
  facts: Facts | null;
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

export function forgetTurn(conversationId: string): void {
  stopTurn(conversationId);
  turnOf(conversationId).value = null;
  turns.delete(conversationId);
}

/** Asks in a conversation, after the message `after`. Never rejects: the turn holds how it ended. */
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
  facts: null,
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

type Attached = NonNullable<Schemas['Message']['contentExt']['attachments']>[number];
export type Question = {
  text: string;
  attachments: readonly Attached[];
  /** Chosen for this turn and those after it. */
  model?: string | undefined;
  /** Message index of the question that it replaces, or that is answered again. */
  edit?: number;
  regenerate?: number;
};

type Chunk = Schemas['ChatCompletionChunk'];
type Event = NonNullable<Chunk['x_svc']>;
type Cited = Extract<Event, { type: 'citation' }>;
type Frame = Partial<Chunk> & Partial<Schemas['OpenAiFailure']>;
type Hearing = {
  change(next: (turn: Turn) => Partial<Turn>): void;
  /** The server took the question, as the turn of this id. */
  begun(turnId: string): void;
  /** Number of the last event. */
  at(event: number): void;
};

const DONE = '[DONE]';

/** Asks the endpoint of the chat and puts what comes into the turn. Throws as `readEvents` does. */
async function readTurn(
  conversationId: string,
  { text, attachments, model, edit, regenerate }: Question,
  hearing: Hearing,
  stopped: AbortSignal,
): Promise<void> {
  const input: InputOf<'POST /agentic/chat/completions'> = {
    conversationId,
    stream: true,
    messages: [{ role: 'user', content: text }],
    ...(model !== undefined && { model }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
    x_svc: {
      resumable: true,
      ...(edit !== undefined && { edit }),
      ...(regenerate !== undefined && { regenerate }),
    },
  };
  await readEvents(
    '/api/v3/agentic/chat/completions',
    {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json' },
    },
    (event) => hear(event, hearing),
    stopped,
  );
}

/** Goes on with a turn after event number `after`, wherever it is by now. Throws as `readEvents` does. */
const followTurn = (
  turnId: string,
  after: number,
  hearing: Hearing,
  stopped: AbortSignal,
): Promise<void> =>
  readEvents(
    `/api/v3/agentic/chat/stream/${encodeURIComponent(turnId)}?after=${after}`,
    {},
    (event) => hear(event, hearing),
    stopped,
  );

function hear(
  { data, id }: { data: string; id: string | null },
  { change, begun, at }: Hearing,
): void {
  if (id !== null) at(Number(id));
  if (data === DONE) return change(({ ending }) => ({ ending: ending ?? { how: 'done' } }));
  const frame = frameOf(data);
  if (frame.x_svc?.type === 'turn.start') begun(frame.x_svc.turn_id);
  change((turn) => changeBy(turn, frame));
}

/** Of a server of this version: a chunk or a failure, as the document says. */
const frameOf = (data: string): Frame => JSON.parse(data);

function citationOf({ v: _v, seq: _seq, type: _type, ...citation }: Cited): Citation {
  return citation;
}

function changeBy(turn: Turn, { error, choices, x_svc: event }: Frame): Partial<Turn> {
  if (error) return { ending: { how: 'failed', said: error.message } };
  // The line of facts is drawn below, and so is what is said after a proposal, its card in words.
  const isDrawn = event?.type === 'facts' || turn.actions.length > 0;
  const content = isDrawn ? '' : (choices?.[0]?.delta.content ?? '');
  if (content !== '') return { text: turn.text + content };
  return event ? changeByEvent(turn, event) : {};
}

function changeByEvent(turn: Turn, event: Event): Partial<Turn> {
  switch (event.type) {
    // It runs no more: what was kept of it is read where all that was kept is.
    case 'turn.stored':
      return { ending: { how: 'done' } };
    case 'citation':
      return { citations: [...turn.citations, citationOf(event)] };
    case 'facts':
      return { facts: event };
    case 'action.pending':
      return { actions: [...turn.actions, event.card.actionId] };
    case 'warning':
      return { warnings: [...turn.warnings, event.code] };
    case 'tool.start':
      return { steps: [...turn.steps, stepOf(event)] };
    case 'tool.end':
      return { steps: turn.steps.map((step) => stepAfter(step, event)) };
    case 'turn.start':
    case 'turn.end':
    case 'action.decided':
    case 'action.receipt':
      break;
  }
  return {};
}

function stepOf({
  call_id: callId,
  name,
  title,
  args,
}: Extract<Event, { type: 'tool.start' }>): Step {
  return { callId, name, title, args, result: '', plots: [], status: 'running', durationMs: null };
}

function stepAfter(step: Step, end: Extract<Event, { type: 'tool.end' }>): Step {
  const { status, result, plots, duration_ms: durationMs } = end;
  return step.callId === end.call_id ? { ...step, status, result, plots, durationMs } : step;
}
