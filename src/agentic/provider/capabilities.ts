import { z } from 'zod';

import type { ModelMessage, Provider } from '../../../providers/request/provider.ts';

/** What a model can do (docs/specification/assistant.md, Models). */
export const Capabilities = z.object({
  stream: z.boolean(),
  toolCall: z.boolean(),
  vision: z.boolean(),
  reasoning: z.boolean(),
});
export type Capabilities = z.output<typeof Capabilities>;

/** Capabilities of a model without a configuration. */
export const DEFAULT_CAPABILITIES: Capabilities = {
  stream: true,
  toolCall: true,
  vision: false,
  reasoning: false,
};

/** A reasoning model takes none of these. */
const UNREASONED = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
] as const;

/**
 * Limits a provider to the capabilities of its model: without tool calls no tools are offered and calls are
 * dropped; a reasoning model takes no temperature and the like.
 */
export function withCapabilities(
  provider: Provider,
  { stream, toolCall, reasoning }: Capabilities,
): Provider {
  if (stream && toolCall && !reasoning) return provider;
  return {
    ...provider,
    ...(reasoning ? { ignores: [...new Set([...(provider.ignores ?? []), ...UNREASONED])] } : {}),
    async *complete(request, signal, say) {
      const within = toolCall
        ? { ...request, stream }
        : { ...request, stream, tools: [], messages: withoutCalls(request.messages) };
      for await (const delta of provider.complete(within, signal, say)) {
        if (toolCall || delta.type !== 'toolCall') yield delta;
      }
    },
  };
}

/** Texts only: the conversation may hold tool calls of another model. */
const withoutCalls = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.flatMap((message): ModelMessage[] => {
    const { role, content } = message;
    if (role === 'tool') return [];
    return role === 'assistant' ? (content ? [{ role, content }] : []) : [message];
  });
