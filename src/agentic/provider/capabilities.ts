import { z } from 'zod';

import type { ModelMessage, Provider } from '../../../providers/provider.ts';

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

/**
 * Limits a provider to the capabilities of its model: without tool calls no tools are offered and calls are
 * dropped; a reasoning model takes no temperature.
 */
export function withCapabilities(
  provider: Provider,
  { stream, toolCall, reasoning }: Capabilities,
): Provider {
  if (stream && toolCall && !reasoning) return provider;
  return {
    ...provider,
    ...(reasoning ? { ignores: ['temperature'] } : {}),
    async *complete(request, signal) {
      const within = toolCall
        ? { ...request, stream }
        : { ...request, stream, tools: [], messages: withoutCalls(request.messages) };
      for await (const delta of provider.complete(within, signal)) {
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
