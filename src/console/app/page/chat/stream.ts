import type { InputOf } from '../../client/call.ts';
import { readEvents } from '../../client/events.ts';
import type { Schemas } from '../../client/operations.ts';
import type { Step, Turn } from './turn.ts';

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
export async function readTurn(
  conversationId: string,
  { text, attachments, model, edit, regenerate }: Question,
  hearing: Hearing,
  signal: AbortSignal,
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
    signal,
  );
}

/** Goes on with a turn after event number `after`, wherever it is by now. Throws as `readEvents` does. */
export const followTurn = (
  turnId: string,
  after: number,
  hearing: Hearing,
  signal: AbortSignal,
): Promise<void> =>
  readEvents(
    `/api/v3/agentic/chat/stream/${encodeURIComponent(turnId)}?after=${after}`,
    {},
    (event) => hear(event, hearing),
    signal,
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

function changeBy(turn: Turn, { error, choices, x_svc: event }: Frame): Partial<Turn> {
  if (error) return { ending: { how: 'failed', said: error.message } };
  // It runs no more: what was kept of it is read where all that was kept is.
  if (event?.type === 'turn.stored') return { ending: { how: 'done' } };
  if (event?.type === 'citation') {
    const { v: _v, seq: _seq, type: _type, ...citation } = event;
    return { citations: [...turn.citations, citation] };
  }
  const content = choices?.[0]?.delta.content ?? '';
  // What is said after a proposal is its card in words: here the card is drawn.
  if (content !== '' && turn.actions.length === 0) return { text: turn.text + content };
  if (event?.type === 'action.pending') return { actions: [...turn.actions, event.card.actionId] };
  if (event?.type === 'warning') return { warnings: [...turn.warnings, event.code] };
  if (event?.type === 'tool.start') {
    const { call_id: callId, name, title, args } = event;
    const step: Step = {
      callId,
      name,
      title,
      args,
      result: '',
      plots: [],
      status: 'running',
      durationMs: null,
    };
    return { steps: [...turn.steps, step] };
  }
  if (event?.type !== 'tool.end') return {};
  const { call_id: callId, status, result, plots, duration_ms: durationMs } = event;
  return {
    steps: turn.steps.map((step) =>
      step.callId === callId ? { ...step, status, result, plots, durationMs } : step,
    ),
  };
}
