import type { ModelOptions, OptionName } from '../../../../providers/request/options.ts';
import { isDropped, type ParameterMap } from '../../../../providers/request/parameters.ts';
import type { Provider } from '../../../../providers/request/provider.ts';
import type { SessionExt } from '../../session/session.ts';

/** The options that a turn was asked for by its request or its conversation, and not by the model's configuration. */
export function wantedOptions(
  options: ModelOptions,
  { temperature, reasoningEnabled }: SessionExt,
): OptionName[] {
  const given: Record<OptionName, unknown> = {
    temperature,
    top_p: options.topP,
    seed: options.seed,
    stop: options.stop,
    presence_penalty: options.presencePenalty,
    frequency_penalty: options.frequencyPenalty,
    logit_bias: options.logitBias,
    logprobs: options.logprobs,
    verbosity: options.verbosity,
    reasoning_effort: options.effort ?? (reasoningEnabled || undefined),
    parallel_tool_calls: options.parallelCalls,
  };
  return ALL.filter((name) => given[name] !== undefined);
}

/** Fields of the dialects that carry an option. */
const FIELDS: Record<OptionName, readonly string[]> = {
  temperature: ['temperature'],
  top_p: ['top_p'],
  seed: ['seed'],
  stop: ['stop', 'stop_sequences'],
  presence_penalty: ['presence_penalty'],
  frequency_penalty: ['frequency_penalty'],
  logit_bias: ['logit_bias'],
  logprobs: ['logprobs'],
  verbosity: ['verbosity'],
  reasoning_effort: ['reasoning_effort', 'output_config'],
  parallel_tool_calls: ['parallel_tool_calls'],
};
const ALL = Object.keys(FIELDS).filter((name): name is OptionName => name in FIELDS);

/** Of the wanted options, those that do not reach the vendor: its provider leaves them out, or a map drops them. */
export const lostOptions = (
  wanted: readonly OptionName[],
  { ignores = [] }: Pick<Provider, 'ignores'>,
  maps: readonly ParameterMap[],
): OptionName[] =>
  wanted.filter(
    (name) =>
      ignores.some((ignored) => ignored === name) ||
      FIELDS[name].some((field) => isDropped(field, maps)),
  );
