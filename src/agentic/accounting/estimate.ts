import type { ModelMessage, ModelTool } from '../../../providers/provider.ts';

/** Of a token in UTF-8, in the mean over prose, JSON and Chinese; rather few than many, so that estimates are not low. */
const BYTES_PER_TOKEN = 3;
const PER_MESSAGE = 4;

/** About how many tokens a text is. */
export const tokensIn = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** About how many tokens a request sends. */
export function promptTokensIn(
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[],
): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += PER_MESSAGE + tokensIn(textOf(message.content));
    if (message.role === 'assistant' && message.toolCalls?.length)
      tokens += tokensIn(JSON.stringify(message.toolCalls));
  }
  return tools.length === 0 ? tokens : tokens + tokensIn(JSON.stringify(tools));
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
