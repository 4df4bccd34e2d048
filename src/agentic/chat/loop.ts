import { createHash } from 'node:crypto';

import type {
  FinishReason,
  ModelMessage,
  ModelTool,
  ToolCall,
  Usage,
} from '../../../providers/provider.ts';
import type { App, Caller, Tool } from '../../app.ts';
import type { Limited } from '../../auth/connection/denial.ts';
import type { Model } from '../provider/model.ts';
import type { Plot } from './plots.ts';
import { callTool, describe, type ToolOutcome } from './tool-call.ts';

const MAX_ROUNDS = 8;
const MAX_CALLS_PER_ROUND = 8;
const MAX_SAME_CALLS = 3;
const TURN_MS = 120_000;
const MAX_ARGUMENTS = 16_384;
const MAX_SHOWN = 300;

type Stop = 'answered' | 'pending' | 'limit' | 'deadline';
/**
 * One tool call of a turn, with the tool's domain and title (docs/specification/tools.md 2 and
 * docs/specification/tools.md 5).
 */
export type ToolTrace = {
  callId: string;
  name: string;
  title: string;
  domain: string;
  /** Arguments and result in short, for the person that asked. */
  args: string;
  result: string;
  plots: Plot[];
  status: ToolOutcome['status'];
  durationMs: number;
};

/**
 * Events of a turn, in order; `end` comes last, unless the turn throws. A `message` event holds a complete
 * message of the model or of a tool, as the next round sends it.
 */
export type TurnEvent =
  | { type: 'text'; text: string }
  | {
      type: 'tool.start';
      callId: string;
      name: string;
      title: string;
      args: string;
      argsDigest: string;
    }
  | ({ type: 'tool.end' } & ToolTrace)
  | { type: 'action'; actionId: string }
  | { type: 'message'; message: ModelMessage }
  | TurnEnd;
export type TurnEnd = {
  type: 'end';
  stop: Stop;
  reason: FinishReason;
  rounds: number;
  usage: Usage;
};

export type TurnOptions = {
  model: Model;
  /** Offered to the model; each call is checked again. */
  tools: readonly Tool[];
  messages: readonly ModelMessage[];
  conversationId: string;
  temperature?: number;
  maxTokens?: number;
  reasoning?: 'usual' | 'asked';
};

const LIMIT_TEXT = 'I stopped here: this took more steps than one answer may take.';
const DEADLINE_TEXT = 'I stopped here: this took longer than one answer may take.';

/**
 * One turn: model ↔ tools until the model answers, at most 8 rounds of 8 calls in 120 s. The last round
 * offers no tools, so that the model has to answer. Throws errors of the provider, and `signal`'s reason;
 * actions proposed before that stay pending.
 */
export async function* runTurn(
  app: App,
  caller: Limited,
  options: TurnOptions,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, void> {
  const { model, tools: offered, conversationId, temperature, maxTokens, reasoning } = options;
  const deadline = new AbortController();
  const cancel = app.clock.after(TURN_MS, () => deadline.abort());
  const any = AbortSignal.any([signal, deadline.signal]);
  const messages = [...options.messages];
  const tools = offered.map(describe);
  const seen = new Map<string, number>();
  const used = new Set<string>();
  const usage = { promptTokens: 0, completionTokens: 0 };
  const actions = new Set<string>();
  let rounds = 0;
  function* add(message: ModelMessage): Generator<TurnEvent> {
    messages.push(message);
    yield { type: 'message', message };
  }
  const end = (stop: Stop, reason: FinishReason): TurnEnd => ({
    type: 'end',
    stop: stop === 'answered' && actions.size > 0 ? 'pending' : stop,
    reason,
    rounds,
    usage,
  });
  try {
    while (rounds < MAX_ROUNDS) {
      rounds += 1;
      const isLast = rounds === MAX_ROUNDS;
      const request = {
        model: model.name,
        messages,
        tools: isLast ? [] : tools,
        ...(temperature === undefined ? {} : { temperature }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(reasoning === undefined ? {} : { reasoning }),
      };
      const answer = yield* oneRound(model, request, { usage, used }, any);
      if (answer.calls.length === 0 || isLast) {
        if (isLast && answer.text === '') yield* say(LIMIT_TEXT);
        else yield { type: 'message', message: { role: 'assistant', content: answer.text } };
        const isAnswer = answer.calls.length === 0;
        const reason = answer.reason === 'tool_calls' ? 'stop' : answer.reason;
        yield end(isAnswer ? 'answered' : 'limit', reason);
        return;
      }
      yield* add({ role: 'assistant', content: answer.text, toolCalls: answer.calls });
      for (const [position, call] of answer.calls.entries()) {
        const key = `${call.name} ${sameArguments(call.arguments)}`;
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times >= MAX_SAME_CALLS) {
          yield* say(LIMIT_TEXT);
          yield end('limit', 'stop');
          return;
        }
        const tool = offered.find(({ name }) => name === call.name);
        const startedAt = app.clock.now();
        yield {
          type: 'tool.start',
          callId: call.id,
          name: call.name,
          title: tool?.title ?? call.name,
          args: inShort(call.arguments),
          argsDigest: digest(call.arguments),
        };
        const {
          status,
          content,
          actionId,
          plots = [],
        } = position < MAX_CALLS_PER_ROUND
          ? await callTool(app, caller, call, conversationId)
          : tooMany;
        const trace: ToolTrace = {
          callId: call.id,
          name: call.name,
          title: tool?.title ?? call.name,
          domain: tool?.domain ?? '',
          args: inShort(call.arguments),
          result: inShort(content),
          plots,
          status,
          durationMs: app.clock.now() - startedAt,
        };
        logCall(app, caller, conversationId, trace);
        // First: sending the rest fails when the client has left, and the proposal is there all the same.
        if (actionId && !actions.has(actionId)) {
          actions.add(actionId);
          yield { type: 'action', actionId };
        }
        yield { type: 'tool.end', ...trace };
        yield* add({ role: 'tool', toolCallId: call.id, content });
        // An aborted turn ends after the running tool call, which is not interrupted.
        any.throwIfAborted();
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.signal.aborted) throw error;
    yield* say(DEADLINE_TEXT);
    yield end('deadline', 'length');
  } finally {
    cancel();
  }
}

function* say(text: string): Generator<TurnEvent> {
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

type Answer = { text: string; calls: ToolCall[]; reason: FinishReason };

/** One model answer: yields its text at once, collects its calls. */
async function* oneRound(
  model: Model,
  request: { model: string; messages: readonly ModelMessage[]; tools: readonly ModelTool[] },
  { usage, used }: { usage: Usage; used: Set<string> },
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, Answer> {
  const calls = new Map<number, ToolCall>();
  const answer: Answer = { text: '', calls: [], reason: 'stop' };
  for await (const delta of model.provider.complete(request, signal)) {
    if (delta.type === 'text') {
      answer.text += delta.text;
      yield delta;
    } else if (delta.type === 'toolCall') {
      const call = calls.get(delta.index) ?? { id: '', name: '', arguments: '' };
      call.id ||= delta.id ?? '';
      call.name ||= delta.name ?? '';
      // Bounds the arguments; arguments cut here fail later as invalid JSON.
      call.arguments = (call.arguments + (delta.arguments ?? '')).slice(0, MAX_ARGUMENTS);
      calls.set(delta.index, call);
    } else {
      answer.reason = delta.reason;
      usage.promptTokens += delta.usage?.promptTokens ?? 0;
      usage.completionTokens += delta.usage?.completionTokens ?? 0;
    }
  }
  answer.calls = withIds(
    [...calls.values()].filter((call) => call.name !== ''),
    used,
  );
  return answer;
}

/** Gives each call an id that is unique in the turn, as not every vendor does; adds it to `used`. */
function withIds(calls: ToolCall[], used: Set<string>): ToolCall[] {
  for (const call of calls) {
    if (call.id === '' || used.has(call.id)) call.id = `call_${used.size}_${digest(call.name)}`;
    used.add(call.id);
  }
  return calls;
}

/** Arguments in comparable form: spacing and the order of top-level keys do not count. */
function sameArguments(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text || '{}');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return text;
    return JSON.stringify(Object.entries(parsed).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return text;
  }
}

const inShort = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
