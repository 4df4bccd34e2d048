import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
} from 'openai/resources/chat/completions';

import { dataUri, type Media } from '../request/media.ts';
import type { ModelOptions, ToolChoice } from '../request/options.ts';
import type { ModelRequest } from '../request/provider.ts';

type Fields = Partial<ChatCompletionCreateParams>;

/** The options of a request as fields of a chat completion; `reasons`: of a reasoning model. */
export function optionFields({ options = {}, tools, reasoning }: ModelRequest): Fields {
  return {
    ...(reasoning === undefined ? samplingOf(options) : {}),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.stop === undefined ? {} : { stop: [...options.stop] }),
    ...(options.verbosity === undefined ? {} : { verbosity: options.verbosity }),
    ...(options.effort === undefined ? {} : { reasoning_effort: options.effort }),
    ...(options.logprobs === undefined ? {} : { logprobs: true, top_logprobs: options.logprobs }),
    ...formatOf(options),
    // The vendor refuses both fields in a request without tools.
    ...(tools.length === 0 ? {} : callFields(options)),
  };
}

/** Reasoning models refuse these. */
const samplingOf = ({
  topP,
  presencePenalty,
  frequencyPenalty,
  logitBias,
}: ModelOptions): Fields => ({
  ...(topP === undefined ? {} : { top_p: topP }),
  ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
  ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
  ...(logitBias === undefined ? {} : { logit_bias: logitBias }),
});

function formatOf({ format }: ModelOptions): Fields {
  if (format === undefined) return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const { type, ...json_schema } = format;
  return { response_format: { type, json_schema } };
}

const callFields = ({ toolChoice, parallelCalls }: ModelOptions): Fields => ({
  ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
  ...(parallelCalls === undefined ? {} : { parallel_tool_calls: parallelCalls }),
});

const choiceOf = (choice: ToolChoice): NonNullable<ChatCompletionCreateParams['tool_choice']> =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };

/** A question with images or documents as content parts. */
export const partsOf = (text: string, media: readonly Media[]): ChatCompletionContentPart[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...media.map((part): ChatCompletionContentPart =>
    part.kind === 'pdf'
      ? { type: 'file', file: { filename: part.fileName, file_data: dataUri(part) } }
      : {
          type: 'image_url',
          image_url: { url: dataUri(part), ...(part.detail ? { detail: part.detail } : {}) },
        },
  ),
];
