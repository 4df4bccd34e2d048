import type {
  ContentBlockParam,
  MessageCreateParams,
  OutputConfig,
  ToolChoice as WireChoice,
} from '@anthropic-ai/sdk/resources/messages';

import type { Media } from '../request/media.ts';
import type { Effort, Ignorable, ModelOptions, Refusable } from '../request/options.ts';

/** The vendor's request type has no such field any more, or never had one. */
export const ANTHROPIC_IGNORES: readonly Ignorable[] = [
  'temperature',
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'verbosity',
];
export const ANTHROPIC_REFUSES: readonly Refusable[] = ['logprobs', 'json_object'];

type Fields = Partial<
  Pick<MessageCreateParams, 'stop_sequences' | 'output_config' | 'thinking' | 'tool_choice'>
>;

/** The options of a request as fields of a message; those of ANTHROPIC_IGNORES are left out. */
export function optionFields(options: ModelOptions): Fields {
  const { stop, effort } = options;
  const output = outputOf(options);
  return {
    ...(stop === undefined ? {} : { stop_sequences: [...stop] }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...(effort === 'none' ? { thinking: { type: 'disabled' as const } } : {}),
  };
}

const outputOf = ({ effort, format }: ModelOptions): OutputConfig => ({
  ...(effort === undefined || effort === 'none' ? {} : { effort: effortOf(effort) }),
  ...(format?.type === 'json_schema'
    ? { format: { type: 'json_schema' as const, schema: format.schema } }
    : {}),
});

/** The vendor's least effort is `low`. */
const effortOf = (effort: Exclude<Effort, 'none'>) => (effort === 'minimal' ? 'low' : effort);

/** Only in a request with tools. */
export function choiceOf({ toolChoice = 'auto', parallelCalls }: ModelOptions): Fields {
  const alone = parallelCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === 'auto' && parallelCalls !== false) return {};
  const choice: WireChoice =
    typeof toolChoice === 'object'
      ? { type: 'tool', name: toolChoice.name, ...alone }
      : toolChoice === 'none'
        ? { type: 'none' }
        : { type: toolChoice === 'required' ? 'any' : 'auto', ...alone };
  return { tool_choice: choice };
}

/** An image or a document as a content block. */
export const blockOf = (media: Media): ContentBlockParam =>
  media.kind === 'pdf'
    ? {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: media.base64 },
        title: media.fileName,
      }
    : {
        type: 'image',
        source: { type: 'base64', media_type: media.mediaType, data: media.base64 },
      };
