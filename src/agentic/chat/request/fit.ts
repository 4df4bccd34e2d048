import type { Ignorable, Refusable } from '../../../../providers/request/options.ts';
import { BadRequest } from '../../../core/errors.ts';
import type { Model } from '../../provider/model.ts';
import type { SessionExt } from '../../session/session.ts';
import type { ChatRequest } from './request.ts';

const INSTEAD: Record<Refusable, string> = {
  json_object: 'json_schema is taken',
  logprobs: 'leave it out',
};

/** Refuses (400) what the model of a turn cannot do and what would be missed in its answer. */
export function demandFit(
  { question, earlier, later, conversationId, sampling, format }: ChatRequest,
  model: Model,
  models: readonly Model[],
): void {
  const resent = conversationId === undefined ? earlier : [];
  const sees = [question, ...resent, ...later].some(({ media }) => media.length > 0);
  if (sees && !model.capabilities.vision) {
    const seeing = models.filter(({ capabilities }) => capabilities.vision);
    const names = [...new Set(seeing.map(({ name }) => name))].slice(0, 20).join(', ');
    throw new BadRequest(
      `The model ${model.name} is not configured to see images and PDFs; ${names ? `models that are: ${names}` : 'no model here is'}`,
      { param: 'messages' },
    );
  }
  const wanted: Record<Refusable, boolean> = {
    json_object: format?.type === 'json_object',
    logprobs: sampling.logprobs !== undefined,
  };
  for (const name of model.provider.refuses ?? []) {
    if (!wanted[name]) continue;
    throw new BadRequest(`The provider of ${model.name} has no ${name}: ${INSTEAD[name]}`, {
      param: name === 'json_object' ? 'response_format' : name,
    });
  }
}

/** Whether a model can do what the request wants, so that it may answer in place of another. */
export function fits(request: ChatRequest, model: Model): boolean {
  try {
    demandFit(request, model, []);
    return true;
  } catch (error) {
    if (error instanceof BadRequest) return false;
    throw error;
  }
}

/** Options of a request that its model leaves out: the answer comes, and says so. */
export function ignoredOptions(
  { sampling }: ChatRequest,
  { temperature }: SessionExt,
  { provider }: Model,
): Ignorable[] {
  const given: Record<Ignorable, unknown> = {
    temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    logit_bias: sampling.logitBias,
    verbosity: sampling.verbosity,
  };
  return (provider.ignores ?? []).filter((name) => given[name] !== undefined);
}
