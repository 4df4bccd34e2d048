import { withDemanded } from '../../../../providers/demanded.ts';
import type { OptionName } from '../../../../providers/options.ts';
import type { ModelDelta, ModelRequest, Say, Usage } from '../../../../providers/provider.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { promptTokensIn, tokensIn } from '../../accounting/estimate.ts';
import type { Step } from '../../accounting/step.ts';
import { expectClosed, failedAt, heardFrom, untried, MODEL_HEALTH } from '../health.ts';
import { vendorReason } from '../reason.ts';
import { isFailure, waitBefore, waited } from '../retry.ts';
import type { Model } from '../usable-models.ts';
import type { AskDelta } from './ask.ts';
import { demandedBy, learnedBy, remember } from './learn.ts';
import { lostOptions } from './lost-options.ts';

/** Refusals that show a parameter come one at a time. */
const MAX_LEARNED_AT_ONCE = 3;

type State = {
  steps: Step[];
  wanted: readonly OptionName[];
  /** Options that the turn was said to go without already. */
  ignored: Set<string>;
  signal: AbortSignal;
  say?: Say | undefined;
};

/**
 * Asks one model, again after a wait where that may help and nothing was said yet, and again in another form where
 * its vendor's refusal shows the form that it accepts.
 */
// oxlint-disable-next-line complexity
export async function* attempt(
  app: App,
  caller: Pick<Caller, 'tenantId'>,
  model: Model,
  request: ModelRequest,
  { steps, wanted, ignored, signal, say }: State,
): AsyncGenerator<AskDelta> {
  const { clock } = app;
  const modelHealth = app.of(MODEL_HEALTH);
  let { learned } = model;
  let retries = 0;
  let changes = 0;
  let verdict: 'heard' | 'failed' | null = null;
  expectClosed(clock, modelHealth, model.health);
  try {
    for (;;) {
      const maps = [learned, ...(request.parameters ?? [])];
      for (const parameter of lostOptions(wanted, model.provider, maps)) {
        if (ignored.has(parameter)) continue;
        ignored.add(parameter);
        yield { type: 'ignored', parameter };
      }
      let hasSpoken = false;
      let hasReasoned = false;
      const spoken: Say | undefined =
        say &&
        ((text) => {
          hasSpoken = true;
          return say(text);
        });
      try {
        const messages = withDemanded(request.messages, model.demanded);
        const sent = { ...request, messages, parameters: maps };
        for await (const delta of measured(app, model, sent, { steps, signal, say: spoken })) {
          hasSpoken ||= delta.type === 'text' || delta.type === 'toolCall';
          hasReasoned ||= delta.type === 'reasoning';
          yield delta;
        }
        verdict = 'heard';
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        const demanded = hasSpoken || model.demanded ? null : demandedBy(error, request.messages);
        const shown =
          hasSpoken || demanded || changes === MAX_LEARNED_AT_ONCE
            ? null
            : learnedBy(error, learned);
        const wait = hasSpoken || demanded || shown ? null : waitBefore(retries + 1, error);
        if (!demanded && !shown && wait === null) {
          if (isFailure(error)) verdict = 'failed';
          throw error;
        }
        if (demanded) {
          model.demanded = demanded;
        } else if (shown) {
          changes += 1;
          learned = shown;
          model.learned = shown;
          await remember(app, caller, model, shown);
        } else {
          retries += 1;
          await waited(clock, wait ?? 0, signal);
        }
        if (hasReasoned) yield { type: 'again' };
      }
    }
  } finally {
    if (verdict === 'heard') heardFrom(modelHealth, model.health);
    else if (verdict === 'failed') failedAt(clock, modelHealth, model.health);
    else untried(modelHealth, model.health);
  }
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
