import type { ModelOptions } from '../../../../providers/options.ts';
import type { FinishReason, ModelMessage, ModelTool, Say } from '../../../../providers/provider.ts';
import type { Limited } from '../../../auth/connection/denial.ts';
import type { App, Caller, Tool } from '../../../kernel/app/app.ts';
import type { Asking } from '../../provider/ask/ask.ts';
import { clientCallId, digest, inShort, sameArguments } from './call.ts';
import type { Stop, ToolTrace, TurnEnd, TurnEvent } from './event.ts';
import { formOf } from './form.ts';
import { callsMessage, oneRound } from './round.ts';
import { calledBy, callTool, listed, type ToolOutcome } from './tool-call.ts';

const MAX_ROUNDS = 8;
const MAX_CALLS_PER_ROUND = 8;
const MAX_SAME_CALLS = 3;
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
const DEADLINE_TEXT = 'I stopped here: this took longer than one answer may take.';

/**
 * One turn: model ↔ tools until the model answers, at most 8 rounds of 8 calls in 120 s. The last round
 * offers no tools, so that the model has to answer. Texts go to `say` or come as events. Throws errors of the
 * provider, and `signal`'s reason; actions proposed before that stay pending.
 */
// oxlint-disable-next-line complexity, max-lines-per-function
export async function* runTurn(
  app: App,
  caller: Limited,
  options: TurnOptions,
  signal: AbortSignal,
  say: Say,
): AsyncGenerator<TurnEvent, void> {
  const { asking, tools: offered, conversationId, temperature, maxTokens } = options;
  const { clientTools, handle } = options;
  const deadline = new AbortController();
  const cancel = app.clock.after(TURN_MS, () => deadline.abort());
  const any = AbortSignal.any([signal, deadline.signal]);
  const messages = [...options.messages];
  const tools = [...listed(offered), ...clientTools];
  const form = formOf(options);
  const seen = new Map<string, number>();
  let handed = 0;
  const tally = {
    used: new Set<string>(),
    isClients: (name: string) => clientTools.some((tool) => tool.name === name),
    nextClientId: () => clientCallId(handle, handed++),
    hasReasoned: false,
  };
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
    steps: asking.steps,
  });
  try {
    while (rounds < MAX_ROUNDS) {
      rounds += 1;
      const isLast = rounds === MAX_ROUNDS || form.isDue;
      const offers = isLast ? [] : tools;
      const request = {
        messages,
        tools: offers,
        options: form.optionsOf(rounds, offers),
        ...(temperature === undefined ? {} : { temperature }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      };
      const isHeld = form.holds(offers);
      const answer = yield* oneRound(asking, request, tally, { isHeld, signal: any, say });
      if (answer.calls.length === 0 || isLast) {
        // The same answer once more, in its form and without tools.
        if (form.isMissing(offers)) {
          form.isDue = true;
          continue;
        }
        if (isLast && answer.text === '') yield* told(LIMIT_TEXT);
        else {
          const { text, logprobs, isRefusal } = answer;
          if (isHeld && text !== '') yield { type: 'text', text, logprobs, isRefusal };
          yield { type: 'message', message: { role: 'assistant', content: text } };
        }
        const isAnswer = answer.calls.length === 0;
        const reason = answer.reason === 'tool_calls' ? 'stop' : answer.reason;
        yield end(isAnswer ? 'answered' : 'limit', reason);
        return;
      }
      yield* add(callsMessage(asking, answer));
      const theirs = answer.calls.filter(({ name }) => tally.isClients(name));
      const ours = answer.calls.filter(({ name }) => !tally.isClients(name));
      for (const [position, call] of ours.entries()) {
        const key = `${call.name} ${sameArguments(call.arguments)}`;
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times >= MAX_SAME_CALLS) {
          yield* told(LIMIT_TEXT);
          yield end('limit', 'stop');
          return;
        }
        const { name, tool } = calledBy(offered, call);
        const startedAt = app.clock.now();
        yield {
          type: 'tool.start',
          callId: call.id,
          name,
          title: tool?.title ?? name,
          args: inShort(call.arguments),
          argsDigest: digest(call.arguments),
        };
        const {
          status,
          content,
          actionId,
          decidedId,
          plots = [],
          sources = [],
        } = position < MAX_CALLS_PER_ROUND
          ? await callTool(app, caller, call, { conversationId, offered })
          : tooMany;
        const trace: ToolTrace = {
          callId: call.id,
          name,
          title: tool?.title ?? name,
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
        if (decidedId) yield { type: 'decided', actionId: decidedId };
        if (sources.length > 0) yield { type: 'sources', sources };
        yield { type: 'tool.end', ...trace };
        yield* add({ role: 'tool', toolCallId: call.id, content });
        // An aborted turn ends after the running tool call, which is not interrupted.
        any.throwIfAborted();
      }
      if (theirs.length > 0) {
        yield { type: 'handed', calls: theirs };
        yield end('client_tools', 'tool_calls');
        return;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.signal.aborted) throw error;
    yield* told(DEADLINE_TEXT);
    yield end('deadline', 'length');
  } finally {
    cancel();
  }
}

function* told(text: string): Generator<TurnEvent> {
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
