import type { ModelMessage, ModelTool } from '../../../providers/request/provider.ts';

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
  for (const tool of tools) tokens += tokensOf(tool);
  return tokens;
}

const ofTools = new WeakMap<ModelTool, number>();
/** A tool is offered in many turns. */
function tokensOf(tool: ModelTool): number {
  const known = ofTools.get(tool);
  if (known !== undefined) return known;
  const tokens = tokensIn(JSON.stringify(tool));
  ofTools.set(tool, tokens);
  return tokens;
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
