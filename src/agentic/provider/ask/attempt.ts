import { withDemanded } from '../../../../providers/request/demanded.ts';
import type { OptionName } from '../../../../providers/request/options.ts';
import type {
  ModelDelta,
  ModelMessage,
  ModelRequest,
  Say,
  Usage,
} from '../../../../providers/request/provider.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { promptTokensIn, tokensIn } from '../../accounting/estimate.ts';
import type { Step } from '../../accounting/step.ts';
import { MODEL_HEALTH, answeredBy, expectClosed, failedAt, untried } from '../health.ts';
import { isFailure, vendorReason, waitBefore, waited } from '../reason.ts';
import type { Model } from '../usable-models.ts';
import { demandedBy, learnContext, learnedBy, learnThought, remember } from './learn.ts';
import { lostOptions } from './lost-options.ts';
import { newContext, pastTurnsIn, pastTurnsWithin, withPastTurns } from './shorten.ts';

/** What a turn learns beside the deltas of a model. */
export type AskDelta =
  | ModelDelta
  /** Another model answers in place of the one that was chosen. */
  | { type: 'fallback'; model: Model }
  /** The same model is asked again: what it reasoned before belongs to no answer. */
  | { type: 'again' }
  /** A parameter of the request is not sent, as the model does not accept it. */
  | { type: 'ignored'; parameter: string };

/** Refusals that show a parameter come one at a time. */
const MAX_LEARNED_AT_ONCE = 3;

type State = {
  steps: Step[];
  wanted: readonly OptionName[];
  /** Options that the turn was notified of already. */
  ignored: Set<string>;
  signal: AbortSignal;
  say?: Say | undefined;
};

/**
 * Asks one model, again after a wait where that may help and nothing was said yet, and again in another form where
 * its vendor's refusal shows the form that it accepts.
 */
export async function* attempt(
  app: App,
  caller: Pick<Caller, 'tenantId'>,
  model: Model,
  request: ModelRequest,
  state: State,
): AsyncGenerator<AskDelta> {
  const { clock } = app;
  const { signal } = state;
  const modelHealth = app.of(MODEL_HEALTH);
  const tried: Tried = { learned: model.learned, retries: 0, changes: 0, context: newContext() };
  let verdict: 'answered' | 'failed' | null = null;
  expectClosed(clock, modelHealth, model.health);
  try {
    for (;;) {
      const parameters = [tried.learned, ...(request.parameters ?? [])];
      yield* newlyIgnored(model, parameters, state);
      const messages = withDemanded(
        yield* fittingOf(model, request, parameters, state),
        model.demanded,
      );
      const sent = { ...request, messages, parameters };
      let hasSpoken = false;
      let hasReasoned = false;
      const spoken: Say | undefined =
        state.say &&
        ((text) => {
          hasSpoken = true;
          return state.say?.(text);
        });
      try {
        for await (const delta of measured(app, model, sent, { ...state, say: spoken })) {
          hasSpoken ||= delta.type === 'text' || delta.type === 'toolCall';
          hasReasoned ||= delta.type === 'reasoning';
          if (delta.type === 'finish') await learnThought(app, caller, model, delta.thinksFirst);
          yield delta;
        }
        verdict = 'answered';
        await learnContext(app, caller, model, tried.context.tokensOf(sent));
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        const remedy = hasSpoken ? null : remedyFor(error, model, sent, tried);
        if (remedy === null && isFailure(error)) verdict = 'failed';
        if (remedy === null) throw error;
        await remedy(app, caller, signal);
        if (hasReasoned) yield { type: 'again' };
      }
    }
  } finally {
    if (verdict === 'answered') answeredBy(modelHealth, model.health);
    else if (verdict === 'failed') failedAt(clock, modelHealth, model.health);
    else untried(modelHealth, model.health);
  }
}

/** Options that the turn has not been notified of yet, and that a request with these parameters goes without. */
function* newlyIgnored(
  model: Model,
  parameters: NonNullable<ModelRequest['parameters']>,
  { wanted, ignored }: State,
): Generator<AskDelta> {
  for (const parameter of lostOptions(wanted, model.provider, parameters)) {
    if (ignored.has(parameter)) continue;
    ignored.add(parameter);
    yield { type: 'ignored', parameter };
  }
}

/** What was tried of a request so far. */
type Tried = {
  learned: Model['learned'];
  retries: number;
  changes: number;
  context: ReturnType<typeof newContext>;
};
type Remedy = (app: App, caller: Pick<Caller, 'tenantId'>, signal: AbortSignal) => Promise<void>;

/** What is done before the model is asked again with other than `sent`; null: it is not. */
function remedyFor(error: unknown, model: Model, sent: ModelRequest, tried: Tried): Remedy | null {
  const demanded = model.demanded ? null : demandedBy(error, sent.messages);
  if (demanded)
    return async () => {
      model.demanded = demanded;
    };
  const shorter = shortenedFor(error, sent, tried);
  if (shorter !== null)
    return async () => {
      model.pastTurns = shorter;
    };
  const learned = tried.changes === MAX_LEARNED_AT_ONCE ? null : learnedBy(error, tried.learned);
  if (learned)
    return async (app, caller) => {
      tried.changes += 1;
      tried.learned = learned;
      model.learned = learned;
      await remember(app, caller, model, learned);
    };
  const wait = waitBefore(tried.retries + 1, error);
  if (wait === null) return null;
  return async ({ clock }, _caller, signal) => {
    tried.retries += 1;
    await waited(clock, wait, signal);
  };
}

/** How many past turns to ask with in place of those that the model found too long; null: it helps no more. */
function shortenedFor(error: unknown, sent: ModelRequest, { context }: Tried): number | null {
  const isFirst = !context.isRefused();
  if (!context.takes(error, sent)) return null;
  const count = pastTurnsIn(sent.messages);
  // Half of them, then none.
  if (count === 0) return null;
  return isFirst ? Math.floor(count / 2) : 0;
}

/** The messages that fit the context of a model, all as far as is known. */
function* fittingOf(
  model: Model,
  request: ModelRequest,
  parameters: NonNullable<ModelRequest['parameters']>,
  state: State,
): Generator<AskDelta, readonly ModelMessage[]> {
  const { messages } = request;
  const known = parameters.findLast(({ contextTokens }) => contextTokens !== undefined);
  const context = known?.contextTokens;
  const count =
    model.pastTurns ?? (context === undefined ? null : pastTurnsWithin(context, request));
  if (count === null) return messages;
  model.pastTurns = count;
  const fitting = withPastTurns(messages, count);
  if (fitting.length < messages.length) yield* newlyShortened(state);
  return fitting;
}

const SHORTENED = 'earlier_messages';

function* newlyShortened({ ignored }: State): Generator<AskDelta> {
  if (ignored.has(SHORTENED)) return;
  ignored.add(SHORTENED);
  yield { type: 'ignored', parameter: SHORTENED };
}

/** One request as a step: how long it took, and what it used. */
async function* measured(
  { clock }: App,
  model: Model,
  request: ModelRequest,
  { steps, signal, say }: Pick<State, 'steps' | 'signal' | 'say'>,
): AsyncGenerator<ModelDelta> {
  const startedAt = clock.elapsed();
  let firstTokenMs: number | null = null;
  let said = 0;
  let told: Usage | undefined;
  let end: Step['end'] = 'LEFT';
  let reason = '';
  const spoke = (text: string): void => {
    firstTokenMs ??= Math.round(clock.elapsed() - startedAt);
    said += tokensIn(text);
  };
  const spoken: Say | undefined =
    say &&
    ((text) => {
      spoke(text);
      return say(text);
    });
  try {
    for await (const delta of model.provider.complete(request, signal, spoken)) {
      if (delta.type === 'finish') told = delta.usage;
      // Billed as output, and no token of the answer.
      else if (delta.type === 'reasoning') said += tokensIn(delta.text);
      else spoke(delta.type === 'text' ? delta.text : (delta.arguments ?? delta.name ?? ''));
      yield delta;
    }
    end = 'OK';
  } catch (error) {
    if (!signal.aborted) {
      end = 'FAILED';
      reason = vendorReason(error);
    }
    throw error;
  } finally {
    const { name, providerName, price } = model;
    // A request that failed before its first token is not billed; one that broke off later may be.
    const isUsed = told === undefined && (end !== 'FAILED' || firstTokenMs !== null);
    const estimate = isUsed
      ? { promptTokens: promptTokensIn(request.messages, request.tools), completionTokens: said }
      : { promptTokens: 0, completionTokens: 0 };
    steps.push({
      provider: providerName,
      model: name,
      usage: { cachedTokens: 0, reasoningTokens: 0, ...(told ?? estimate) },
      isEstimated: isUsed,
      price,
      end,
      reason,
      firstTokenMs,
      durationMs: Math.round(clock.elapsed() - startedAt),
    });
  }
}
