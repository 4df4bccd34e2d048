import { z } from 'zod';

import { BadRequest } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { Text } from '../../core/input/text.ts';

const MAX_MESSAGES = 500;
const MAX_TEXT = 100_000;
const MAX_ATTACHMENTS = 10;
/** About 8,000 tokens of system messages together. */
const MAX_INSTRUCTIONS = 32_000;

const Content = z.union([
  Text(MAX_TEXT),
  z
    .array(
      z.object({ type: z.literal('text', 'only text parts are supported'), text: Text(MAX_TEXT) }),
    )
    .max(100)
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
]);

const RequestMessage = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content.nullish().transform((content) => content ?? ''),
});

const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

const Count = z.number().int().min(1).max(1_000_000);
const ConversationId = Text(128).trim().min(1, 'must not be blank');

/**
 * Chat completions (docs/specification/assistant.md 2) and the fields that OpenAI's clients add; other
 * fields are ignored.
 */
const ChatBody = z.object({
  model: optional(Text(128)),
  messages: z.array(RequestMessage).min(1).max(MAX_MESSAGES),
  stream: optional(z.boolean()),
  temperature: optional(z.number().min(0).max(2)),
  max_tokens: optional(Count),
  max_completion_tokens: optional(Count),
  maxTokens: optional(Count),
  reasoning: optional(z.boolean()),
  attachments: optional(z.array(Id).max(MAX_ATTACHMENTS)),
  conversationId: optional(ConversationId),
  x_svc: optional(z.object({ conversation_id: optional(ConversationId) })),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  tools: optional(z.array(z.unknown())),
});

type RequestMessage = z.output<typeof RequestMessage>;

export type ChatRequest = {
  model: string | undefined;
  temperature: number | undefined;
  maxTokens: number | undefined;
  reasoning: boolean | undefined;
  /** Ids of the question's attachments, without duplicates. */
  attachments: string[];
  stream: boolean;
  includeUsage: boolean;
  conversationId: string | undefined;
  /** Text of the last user message that is not blank. */
  question: string;
  /** Text of all system and developer messages; '' when there is none. */
  instructions: string;
  /** Messages before the question; used only for a request without a conversation id. */
  earlier: RequestMessage[];
};

const isInstruction = (role: string): boolean => role === 'system' || role === 'developer';

/** Parses a request body; throws BadRequest or ZodError for a request that is not supported. */
export function readChatRequest(body: unknown): ChatRequest {
  const given = ChatBody.parse(body);
  if (given.tools && given.tools.length > 0) {
    throw new BadRequest(
      'tools of the client are not supported: the platform runs its own on the server; leave them out',
      { param: 'tools' },
    );
  }
  const last = given.messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.trim() !== '',
  );
  const question = given.messages[last]?.content;
  if (question === undefined) {
    throw new BadRequest('messages must hold a user message with text', { param: 'messages' });
  }
  const instructions = given.messages
    .filter(({ role, content }) => isInstruction(role) && content.trim() !== '')
    .map(({ content }) => content)
    .join('\n\n');
  if (instructions.length > MAX_INSTRUCTIONS) {
    throw new BadRequest(
      `system and developer messages may hold ${MAX_INSTRUCTIONS} characters together`,
      { param: 'messages' },
    );
  }
  return {
    model: given.model,
    temperature: given.temperature,
    maxTokens: given.max_completion_tokens ?? given.max_tokens ?? given.maxTokens,
    reasoning: given.reasoning,
    attachments: [...new Set(given.attachments)],
    stream: given.stream ?? false,
    includeUsage: given.stream_options?.include_usage ?? false,
    conversationId: given.conversationId ?? given.x_svc?.conversation_id,
    question,
    instructions,
    earlier: given.messages.slice(0, last).filter(({ role }) => !isInstruction(role)),
  };
}
