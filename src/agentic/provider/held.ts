import type { ModelMessage, Provider } from '../../../providers/provider.ts';

/** What a model can do (docs/specification/assistant.md, Models). */
export type Capabilities = {
  stream: boolean;
  toolCall: boolean;
  vision: boolean;
  reasoning: boolean;
};

/** What a model can do of which nobody said anything. */
export const USUAL: Capabilities = {
  stream: true,
  toolCall: true,
  vision: false,
  reasoning: false,
};

/**
 * A provider held to what its model can do: where it calls no tools it hears of none and none is called;
 * one that reasons takes no temperature.
 */
export function held(provider: Provider, { stream, toolCall, reasoning }: Capabilities): Provider {
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

/** Of a conversation that went on with another model: its words only. */
const withoutCalls = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.flatMap((message): ModelMessage[] => {
    const { role, content } = message;
    if (role === 'tool') return [];
    return role === 'assistant' ? (content ? [{ role, content }] : []) : [message];
  });
