import { z } from 'zod';

import { EFFORTS, type ModelOptions, VERBOSITIES } from '../../../../providers/request/options.ts';
import { Text } from '../../../kernel/input/text.ts';
import { optional } from './optional.ts';

const MAX_STOPS = 4;
const MAX_TOP_LOGPROBS = 20;

const Penalty = optional(z.number().min(-2).max(2));
const Stop = z.preprocess(
  (given) => (Array.isArray(given) ? given : [given]).filter((text) => text !== ''),
  z.array(Text(500).min(1)).max(MAX_STOPS),
);
// Open WebUI's field for it is a text.
const Bias = z.preprocess(
  (given) => (typeof given === 'string' ? jsonIn(given) : given),
  z
    .record(z.string(), z.number().min(-100).max(100))
    .refine((given) => Object.keys(given).length <= 300, 'may name 300 tokens'),
);

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const only = (message: string) => z.null(message).optional();

/** The fields of a request that say how an answer is made, as OpenAI names them. */
export const samplingFields = {
  n: optional(z.literal(1, 'a turn has one answer: only n=1')),
  top_p: optional(z.number().min(0).max(1)),
  seed: optional(z.int()),
  stop: optional(Stop),
  presence_penalty: Penalty,
  frequency_penalty: Penalty,
  logit_bias: optional(Bias),
  logprobs: optional(z.boolean()),
  top_logprobs: optional(z.int().min(0).max(MAX_TOP_LOGPROBS)),
  reasoning_effort: optional(z.enum(EFFORTS)),
  verbosity: optional(z.enum(VERBOSITIES)),
  modalities: optional(z.array(z.literal('text', 'answers are text only'))),
  audio: only('answers are text only'),
  functions: optional(z.array(z.never('functions are replaced by tools'))),
  // Beside functions, of which there are none.
  function_call: optional(z.enum(['auto', 'none'], 'function_call is replaced by tool_choice')),
};

const Sampling = z.object(samplingFields);

/** Without options that say what is the vendor's default anyway, which some vendors refuse to read. */
export function samplingOf(given: z.output<typeof Sampling>): ModelOptions {
  const { top_p: topP, seed, stop, logit_bias: logitBias, verbosity } = given;
  const { presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty } = given;
  const { logprobs, top_logprobs: top = 0, reasoning_effort: effort } = given;
  return {
    ...(topP === undefined || topP === 1 ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop?.length ? { stop } : {}),
    ...(presencePenalty ? { presencePenalty } : {}),
    ...(frequencyPenalty ? { frequencyPenalty } : {}),
    ...(logitBias && Object.keys(logitBias).length > 0 ? { logitBias } : {}),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(effort === undefined ? {} : { effort }),
    ...(logprobs ? { logprobs: top } : {}),
  };
}
