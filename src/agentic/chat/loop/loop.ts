import type { AnswerFormat, ModelOptions } from '../../../../providers/request/options.ts';
import type {
  FinishReason,
  ModelMessage,
  ModelTool,
  Say,
  ToolCall,
} from '../../../../providers/request/provider.ts';
import type { Limited } from '../../../auth/connection/denial.ts';
import type { App, Caller, Tool } from '../../../kernel/app/app.ts';
import type { Asking } from '../../provider/ask/ask.ts';
import { formOf, hasForm } from '../request/formed.ts';
import {
  type ToolTrace,
  type TurnEnd,
  type TurnEvent,
  clientCallId,
  digest,
  inShort,
  sameArguments,
} from './event.ts';
import { type Answer, type Tally, callsMessage, oneRound } from './round.ts';
import { type ToolOutcome, callTool, calledBy, listed } from './tool-call.ts';

const MAX_ROUNDS = 8;
const MAX_CALLS_PER_ROUND = 8;
const MAX_SAME_CALLS = 3;
/** Beside what the limits of its provider add. */
const TURN_MS = 120_000;

export type TurnOptions = {
  asking: Asking;
  /** Those the model may call, listed for it or found by it; each call is checked again. */
  tools: readonly Tool[];
  messages: readonly ModelMessage[];
  conversationId: string;
  temperature?: number;
  maxTokens?: number;
  /** Tools of the client, which it runs itself. */
  clientTools: readonly ModelTool[];
  /** Of the ids of their calls in this turn. */
  handle: string;
  options: ModelOptions;
};

const LIMIT_TEXT = 'I stopped here: this took more steps than one answer may take.';
const NOTHING_TEXT = 'The model answered nothing.';
/** In place of an answer without a text. */
const WITHOUT_TEXT: Partial<Record<FinishReason, string>> = {
  length: 'The model used up its tokens before it answered.',
  content_filter: 'The model, or its provider, refused to answer.',
};
const deadlineText = (ms: number): string =>
  `I stopped here: one answer may take ${ms / 1_000} s with the limits of its model's provider.`;

/** What the rounds of one turn share. */
type Running = {
  app: App;
  caller: Limited;
  options: TurnOptions;
  /** Fires when the client leaves, and at the deadline. */
  signal: AbortSignal;
  say: Say;
  form: ReturnType<typeof formOf>;
  tally: Tally;
  messages: ModelMessage[];
  rounds: number;
  /** How often each call was made. */
  seen: Map<string, number>;
  /** Actions that the turn proposed. */
  actions: Set<string>;
};
type End = Pick<TurnEnd, 'stop' | 'reason'>;
type Events<T> = AsyncGenerator<TurnEvent, T>;

/**
 * One turn: model ↔ tools until the model answers, at most 8 rounds of 8 calls in 120 s, longer where the limits of the provider are. The last round
 * offers no tools, so that the model has to answer. Texts go to `say` or come as events. Throws errors of the
 * provider, and `signal`'s reason; actions proposed before that stay pending.
 */
export async function* runTurn(
  app: App,
  caller: Limited,
  options: TurnOptions,
  signal: AbortSignal,
  say: Say,
): Events<void> {
  const deadline = new AbortController();
  const turnMs = TURN_MS + options.asking.patienceMs;
  const cancel = app.clock.after(turnMs, () => deadline.abort());
  const turn: Running = {
    app,
    caller,
    options,
    signal: AbortSignal.any([signal, deadline.signal]),
    say,
    form: formOf(options),
    tally: tallyOf(options),
    messages: [...options.messages],
    rounds: 0,
    seen: new Map(),
    actions: new Set(),
  };
  try {
    let end: End | null = null;
    while (end === null && turn.rounds < MAX_ROUNDS) end = yield* nextRound(turn);
    if (end !== null) yield endOf(turn, end);
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.signal.aborted) throw error;
    yield* notice(deadlineText(turnMs));
    yield endOf(turn, { stop: 'deadline', reason: 'length' });
  } finally {
    cancel();
  }
}

function tallyOf({ clientTools, handle }: TurnOptions): Tally {
  let clientCalls = 0;
  return {
    used: new Set<string>(),
    isClients: (name) => clientTools.some((tool) => tool.name === name),
    nextClientId: () => clientCallId(handle, clientCalls++),
    hasReasoned: false,
  };
}

const endOf = ({ actions, rounds, options }: Running, { stop, reason }: End): TurnEnd => ({
  type: 'end',
  stop: stop === 'answered' && actions.size > 0 ? 'pending' : stop,
  reason,
  rounds,
  steps: options.asking.steps,
});

/** One answer of the model and the calls in it; null: the turn goes on. */
async function* nextRound(turn: Running): Events<End | null> {
  const { options, form, tally, messages, signal, say } = turn;
  const { asking, temperature, maxTokens } = options;
  turn.rounds += 1;
  const isLast = turn.rounds === MAX_ROUNDS || form.isDue;
  const offers = isLast ? [] : [...listed(options.tools), ...options.clientTools];
  const request = {
    messages,
    tools: offers,
    options: form.optionsOf(turn.rounds, offers),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
  const isHeld = form.holds(offers);
  const answer = yield* oneRound(asking, request, tally, { isHeld, signal, say });
  if (answer.calls.length > 0 && !isLast) return yield* runCalls(turn, answer);
  // The same answer once more, in its form and without tools.
  if (form.isMissing(offers)) {
    form.isDue = true;
    return null;
  }
  if (isLast && answer.text === '') yield* notice(form.isDue ? NOTHING_TEXT : LIMIT_TEXT);
  else if (answer.text.trim() === '') yield* notice(WITHOUT_TEXT[answer.reason] ?? NOTHING_TEXT);
  else yield* said(answer, isHeld, options.options.format);
  return {
    stop: answer.calls.length === 0 ? 'answered' : 'limit',
    reason: answer.reason === 'tool_calls' ? 'stop' : answer.reason,
  };
}

/** An answer in words; a form that was asked for and that it has not is named beside it. */
function* said(
  { text, logprobs, isRefusal }: Answer,
  isHeld: boolean,
  format: AnswerFormat | undefined,
): Generator<TurnEvent> {
  if (isHeld) yield { type: 'text', text, logprobs, isRefusal };
  yield { type: 'message', message: { role: 'assistant', content: text } };
  if (format && !isRefusal && !hasForm(text, format))
    yield { type: 'ignored', parameter: 'response_format' };
}

/** Runs the calls of an answer; those of the client's tools, and a call made too often, end the turn. */
async function* runCalls(turn: Running, answer: Answer): Events<End | null> {
  const { tally, options } = turn;
  yield* add(turn, callsMessage(options.asking, answer));
  const theirs = answer.calls.filter(({ name }) => tally.isClients(name));
  const ours = answer.calls.filter(({ name }) => !tally.isClients(name));
  for (const [position, call] of ours.entries()) {
    if (timesMade(turn, call) >= MAX_SAME_CALLS) {
      yield* notice(LIMIT_TEXT);
      return { stop: 'limit', reason: 'stop' };
    }
    yield* runCall(turn, call, position < MAX_CALLS_PER_ROUND);
    // An aborted turn ends after the running tool call, which is not interrupted.
    turn.signal.throwIfAborted();
  }
  if (theirs.length === 0) return null;
  yield { type: 'handed', calls: theirs };
  return { stop: 'client_tools', reason: 'tool_calls' };
}

function timesMade({ seen }: Running, { name, arguments: text }: ToolCall): number {
  const key = `${name} ${sameArguments(text)}`;
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times;
}

async function* runCall(turn: Running, call: ToolCall, isWithinRound: boolean): Events<void> {
  const { app, caller, options, actions } = turn;
  const { conversationId, tools: offered } = options;
  const { name, tool } = calledBy(offered, call);
  const title = tool?.title ?? name;
  const args = inShort(call.arguments);
  const startedAt = app.clock.now();
  const argsDigest = digest(call.arguments);
  yield { type: 'tool.start', callId: call.id, name, title, args, argsDigest };
  const outcome = isWithinRound
    ? await callTool(app, caller, call, { conversationId, offered })
    : tooMany;
  const { content, actionId, decidedId, sources = [], values = 0 } = outcome;
  const trace: ToolTrace = {
    callId: call.id,
    name,
    title,
    domain: tool?.domain ?? '',
    args,
    result: inShort(content),
    plots: outcome.plots ?? [],
    status: outcome.status,
    durationMs: app.clock.now() - startedAt,
  };
  logCall(app, caller, conversationId, trace);
  // First: sending the rest fails when the client has left, and the proposal is there all the same.
  if (actionId && !actions.has(actionId)) {
    actions.add(actionId);
    yield { type: 'action', actionId };
  }
  if (decidedId) yield { type: 'decided', actionId: decidedId };
  if (values > 0 || sources.length > 0) yield { type: 'values', sources, values };
  yield { type: 'tool.end', ...trace };
  yield* add(turn, { role: 'tool', toolCallId: call.id, content });
}

function* add({ messages }: Running, message: ModelMessage): Generator<TurnEvent> {
  messages.push(message);
  yield { type: 'message', message };
}

/** A text of the platform in place of the model's. */
function* notice(text: string): Generator<TurnEvent> {
  yield { type: 'text', text };
  yield { type: 'message', message: { role: 'assistant', content: text } };
}

/** An unknown tool name is free text of the model: cut before it goes to the log, where no data goes. */
function logCall(
  app: App,
  caller: Caller,
  conversationId: string,
  { args: _args, result: _result, plots: _plots, ...trace }: ToolTrace,
): void {
  const { tenantId, principalId } = caller;
  const { name, title } = trace;
  const cut = { name: name.slice(0, 64), title: title.slice(0, 64) };
  app.log.info(
    { tenantId, principalId, conversationId, ...trace, ...cut },
    'a model called a tool',
  );
}

const tooMany: ToolOutcome = {
  status: 'failed',
  content: JSON.stringify({
    error: `Not run: at most ${MAX_CALLS_PER_ROUND} calls in one step`,
    hint: 'Make the remaining calls in the next step.',
  }),
  actionId: null,
};
