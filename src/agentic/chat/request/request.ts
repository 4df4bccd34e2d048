import { z } from 'zod';

import {
  type AnswerFormat,
  EFFORTS,
  type ModelOptions,
} from '../../../../providers/request/options.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { Id } from '../../../kernel/input/id.ts';
import { Text } from '../../../kernel/input/text.ts';
import { withoutFacts } from '../../session/facts.ts';
import type { Branch } from '../branch/branch.ts';
import type { After } from '../branch/path.ts';
import { isAuxiliary } from './auxiliary.ts';
import type { Content } from './content.ts';
import { branchIn, Extension } from './extension.ts';
import { ResponseFormat } from './format.ts';
import { RequestMessage } from './message.ts';
import { optional } from './optional.ts';
import { samplingFields, samplingOf } from './sampling.ts';
import { toolFields, type ToolWishes, toolWishesOf } from './tools.ts';

/** A client resends all of them; the model gets the window. */
const MAX_MESSAGES = 10_000;
/** About 250,000 tokens of all messages together. */
const MAX_TEXTS = 1_000_000;
const MAX_ATTACHMENTS = 10;
export const MAX_MEDIA = 20;

/** Some programs write no limit as 0 or -1. */
const Count = z
  .number()
  .int()
  .min(-1)
  .max(1_000_000)
  .transform((given) => (given < 1 ? undefined : given));
/** As the Responses API and OpenRouter have it. */
const Reasoning = z.object({
  effort: optional(z.enum(EFFORTS)),
  enabled: optional(z.boolean()),
});
const ConversationId = Text(128).trim().min(1, 'must not be blank');

/**
 * Chat completions (docs/specification/assistant.md 2) and the fields that OpenAI's clients add; other
 * fields are ignored.
 */
export const ChatBody = z.object({
  model: optional(Text(128)),
  messages: z.array(RequestMessage).min(1).max(MAX_MESSAGES),
  stream: optional(z.boolean()),
  temperature: optional(z.number().min(0).max(2)),
  max_tokens: optional(Count),
  max_completion_tokens: optional(Count),
  maxTokens: optional(Count),
  reasoning: optional(z.union([z.boolean(), Reasoning])),
  attachments: optional(z.array(Id).max(MAX_ATTACHMENTS)),
  conversationId: optional(ConversationId),
  x_svc: optional(Extension),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  store: optional(z.boolean()),
  user: optional(Text(128).trim()),
  metadata: optional(z.record(z.string(), z.unknown())),
  response_format: ResponseFormat,
  ...samplingFields,
  ...toolFields,
});

export type ChatRequest = {
  model: string | undefined;
  temperature: number | undefined;
  maxTokens: number | undefined;
  reasoning: boolean | undefined;
  sampling: ModelOptions;
  format: AnswerFormat | undefined;
  tools: ToolWishes;
  /** Ids of the question's attachments, without duplicates; null: left out. */
  attachments: string[] | null;
  stream: boolean;
  includeUsage: boolean;
  conversationId: string | undefined;
  branch: Branch | After | null;
  /** `earlier` is the whole conversation, as its client shows it. */
  resends: boolean;
  /** The conversation is known by what was resent of it. */
  isRecognised: boolean;
  /** A streamed turn goes on without its client, which can follow it again. */
  resumable: boolean;
  store: boolean | undefined;
  /** The person behind the program's key, as the program names it. */
  user: string | undefined;
  /** For a title, tags and the like: no part of a conversation. */
  isAuxiliary: boolean;
  /** The last user message that is not blank, with images and files; an empty one where only results came. */
  question: Content;
  /** Text of all system and developer messages; '' when there is none. */
  instructions: string;
  /** Messages before the question; used only for a request without a conversation id. */
  earlier: RequestMessage[];
  /** Messages after the question: calls of the client's tools and their results. */
  later: RequestMessage[];
};

const isInstruction = (role: string): boolean => role === 'system' || role === 'developer';

export const isEmpty = ({ text, media, files }: Content): boolean =>
  text.trim() === '' && media.length === 0 && files.length === 0;

/** `reasoning` as one switch, and its effort among the other options. */
function thinkingOf({ reasoning, ...given }: z.output<typeof ChatBody>) {
  const { enabled, effort } =
    typeof reasoning === 'object' ? reasoning : { enabled: reasoning, effort: undefined };
  const reasoning_effort = given.reasoning_effort ?? effort;
  return { reasoning: enabled, sampling: samplingOf({ ...given, reasoning_effort }) };
}

/** Parses a request body; throws BadRequest or ZodError for a request that is not supported. */
export function readChatRequest(body: unknown): ChatRequest {
  const given = ChatBody.parse(body);
  const { messages } = given;
  const last = messages.findLastIndex((message) => message.role === 'user' && !isEmpty(message));
  // Results alone continue a turn with a stored question (src/agentic/chat/turn/prepare.ts).
  const question = messages[last] ?? (messages.at(-1)?.role === 'tool' ? NO_QUESTION : undefined);
  if (question === undefined) throw noQuestion();
  demandBounded(messages);
  const instructions = messages
    .filter(({ role, text }) => isInstruction(role) && text.trim() !== '')
    .map(({ text }) => text)
    .join('\n\n');
  const said = messages
    .filter(({ role }) => !isInstruction(role))
    .map((message) => (message.role === 'assistant' ? withoutLine(message) : message));
  const at = said.findIndex((message) => message === question);
  const conversationId = given.conversationId ?? given.x_svc?.conversation_id ?? undefined;
  return {
    model: given.model,
    temperature: given.temperature,
    maxTokens: given.max_completion_tokens ?? given.max_tokens ?? given.maxTokens,
    ...thinkingOf(given),
    format: given.response_format,
    tools: toolWishesOf(given),
    attachments: given.attachments ? [...new Set(given.attachments)] : null,
    stream: given.stream ?? false,
    includeUsage: given.stream_options?.include_usage ?? false,
    conversationId,
    branch: branchIn(given.x_svc, conversationId),
    resends: given.x_svc?.resent ?? false,
    isRecognised: false,
    resumable: given.x_svc?.resumable ?? false,
    store: given.store,
    user: given.user,
    isAuxiliary: isAuxiliary(given.metadata, said),
    question: { text: question.text, media: question.media, files: question.files },
    instructions,
    earlier: said.slice(0, Math.max(at, 0)),
    later: said.slice(at + 1),
  };
}

/** As the model said it. */
const withoutLine = (message: RequestMessage): RequestMessage => ({
  ...message,
  text: withoutFacts(message.text),
});

const NO_QUESTION: Content = { text: '', media: [], files: [] };

export const noQuestion = () =>
  new BadRequest('messages must hold a user message with text', { param: 'messages' });

function demandBounded(messages: readonly RequestMessage[]): void {
  const texts = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (texts > MAX_TEXTS) {
    throw new BadRequest(`messages may hold ${MAX_TEXTS} characters together`, {
      param: 'messages',
    });
  }
  const parts = messages.reduce((sum, { media, files }) => sum + media.length + files.length, 0);
  if (parts > MAX_MEDIA) {
    throw new BadRequest(`messages may hold ${MAX_MEDIA} images and files together`, {
      param: 'messages',
    });
  }
}
