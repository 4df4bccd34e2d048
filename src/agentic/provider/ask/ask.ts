import { withVendorIds } from '../../../../providers/request/call-id.ts';
import type { OptionName } from '../../../../providers/request/options.ts';
import type { ModelRequest, Say } from '../../../../providers/request/provider.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import type { Step } from '../../accounting/step.ts';
import { isOthersTurn } from '../reason.ts';
import type { Model } from '../usable-models.ts';
import { type AskDelta, attempt } from './attempt.ts';
import { partsKey, withOwnParts } from './vendor-parts.ts';

/** A request without what each model has of its own. */
export type ModelQuestion = Omit<ModelRequest, 'model' | 'reasoning' | 'parameters'>;

/** A turn's way to its model. */
export type Asking = {
  /** The model that is asked next. */
  model(): Model;
  /** How much longer a turn may take for the slowest of the models that may be asked. */
  readonly patienceMs: number;
  /** As `complete` of a provider, with repetitions, and with another model before the first token. */
  complete(request: ModelQuestion, signal: AbortSignal, say?: Say): AsyncIterable<AskDelta>;
  /** Every request that was sent, in order. */
  readonly steps: readonly Step[];
};

type Way = {
  wantsReasoning: boolean;
  /** Options of which the turn says when a model goes without them. */
  wanted: readonly OptionName[];
  /** Runs before every round but the first; its error ends the round. */
  beforeLater(request: ModelQuestion): Promise<void>;
};

/**
 * Asks the first of `models` (not empty), and in place of one that does not answer the next: a turn that went on to
 * another model stays with it.
 */
export function openAsking(
  app: App,
  caller: Pick<Caller, 'tenantId'>,
  models: readonly [Model, ...Model[]],
  { wantsReasoning, wanted, beforeLater }: Way,
): Asking {
  const steps: Step[] = [];
  const ignored = new Set<string>();
  let at = 0;
  let rounds = 0;
  const model = (): Model => models[at] ?? models[0];
  return {
    model,
    patienceMs: Math.max(...models.map(({ provider }) => provider.patienceMs ?? 0)),
    steps,
    async *complete(request, signal, say) {
      rounds += 1;
      if (rounds > 1) await beforeLater(request);
      let first: unknown;
      for (;;) {
        const asked = model();
        let hasSpoken = false;
        const spoken: Say | undefined =
          say &&
          ((text) => {
            hasSpoken = true;
            return say(text);
          });
        try {
          const answer = attempt(app, caller, asked, requestOf(asked, request, wantsReasoning), {
            steps,
            wanted,
            ignored,
            signal,
            say: spoken,
          });
          for await (const delta of answer) {
            hasSpoken ||= delta.type === 'text' || delta.type === 'toolCall';
            yield delta;
          }
          return;
        } catch (error) {
          first ??= error;
          if (signal.aborted || hasSpoken || !isOthersTurn(error)) throw error;
          if (at + 1 >= models.length) throw first;
          const { name, providerName } = asked;
          app.log.warn({ model: name, provider: providerName, error }, 'another model is asked');
          at += 1;
          yield { type: 'fallback', model: model() };
        }
      }
    },
  };
}

/** The request in the terms of one model. */
function requestOf(model: Model, request: ModelQuestion, wantsReasoning: boolean): ModelRequest {
  const { name, capabilities, parameters, maxTokens } = model;
  const limit = request.maxTokens ?? maxTokens;
  return {
    ...request,
    messages: withVendorIds(withOwnParts(request.messages, partsKey(model))),
    model: name,
    ...(limit === undefined ? {} : { maxTokens: limit }),
    ...(capabilities.reasoning ? { reasoning: wantsReasoning ? 'asked' : 'usual' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}
