import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { readEvents } from '../../live/events.ts';
import type { Step, Turn } from './turn.ts';

type Attached = NonNullable<Schemas['Message']['contentExt']['attachments']>[number];
export type Question = {
  text: string;
  attachments: readonly Attached[];
  /** Chosen for this turn and those after it. */
  model?: string | undefined;
};

type Chunk = Schemas['ChatCompletionChunk'];
type Frame = Partial<Chunk> & Partial<Schemas['OpenAiFailure']>;
type Hearing = {
  change(next: (turn: Turn) => Partial<Turn>): void;
  /** The server took the question. */
  begun(): void;
};

const DONE = '[DONE]';

/** Asks the endpoint of the chat and puts what comes into the turn. Throws as `readEvents` does. */
export async function readTurn(
  conversationId: string,
  { text, attachments, model }: Question,
  { change, begun }: Hearing,
  signal: AbortSignal,
): Promise<void> {
  const input: InputOf<'POST /agentic/chat/completions'> = {
    conversationId,
    stream: true,
    messages: [{ role: 'user', content: text }],
    ...(model !== undefined && { model }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
  };
  await readEvents(
    '/api/v3/agentic/chat/completions',
    {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json' },
    },
    ({ data }) => {
      if (data === DONE) return change(({ ending }) => ({ ending: ending ?? { how: 'done' } }));
      const frame = frameOf(data);
      if (frame.x_svc?.type === 'turn.start') begun();
      change((turn) => changeBy(turn, frame));
    },
    signal,
  );
}

/** Of a server of this version: a chunk or a failure, as the document says. */
const frameOf = (data: string): Frame => JSON.parse(data);

function changeBy(turn: Turn, { error, choices, x_svc: event }: Frame): Partial<Turn> {
  if (error) return { ending: { how: 'failed', said: error.message } };
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
