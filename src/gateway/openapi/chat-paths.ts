import { ChatCompletion, ChatCompletionChunk } from '../../agentic/chat/answer/completion.ts';
import { OpenAiFailure } from '../../agentic/chat/answer/openai-error.ts';
import { ChatResponse } from '../../agentic/chat/answer/response.ts';
import { OpenAiModel, OpenAiModels } from '../../agentic/provider/model.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import { CHAT, MODELS } from '../mount/centers.ts';
import { answer, events, json, refusal } from './answer-reference.ts';
import { chatRequest } from './chat-request.ts';
import { asked, storedAnswers, storedPaths } from './stored-chat-paths.ts';

/** Answers in OpenAI's shape, by their names in the document. */
export const chatAnswers = {
  ChatCompletion,
  ChatCompletionChunk,
  ChatResponse,
  ...storedAnswers,
  OpenAiFailure,
  OpenAiModel,
  OpenAiModels,
};

const CHUNKS = 'Events with a chunk each; the data of the last is `[DONE]`';

const chat: JsonSchema = {
  operationId: 'agentic.chat.completions',
  tags: ['agentic: chat'],
  summary: 'Chat completions in the shape of OpenAI; stream=true answers server-sent events',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: chatRequest } },
  },
  responses: {
    200: {
      description: 'A completion, or its chunks',
      content: {
        ...json('ChatCompletion'),
        ...events(CHUNKS, 'ChatCompletionChunk'),
      },
    },
    ...refusal('OpenAiFailure'),
  },
  ...asked(CHAT),
  // docs/specification/assistant.md 5.
  'x-ai-risk': {
    riskLevel: 'MEDIUM',
    destructive: false,
    idempotent: false,
    openWorld: true,
  },
};

const responses: JsonSchema = {
  ...chat,
  operationId: 'agentic.responses.create',
  summary:
    'A turn in the form of the Responses API of OpenAI; stream=true answers its events. Also below /v1',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['input'],
          properties: {
            model: { type: 'string' },
            input: { type: ['string', 'array'], items: { type: 'object' } },
            instructions: { type: 'string' },
            stream: { type: 'boolean', default: false },
            previous_response_id: { type: 'string' },
            conversation: { type: ['string', 'object'] },
            store: { type: 'boolean', default: true },
            background: { type: 'boolean', default: false },
            max_output_tokens: { type: 'integer', minimum: 1 },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'A response, or its events',
      content: {
        ...json('ChatResponse'),
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    ...refusal('OpenAiFailure'),
  },
};

const models = (operationId: string, summary: string, name: string): JsonSchema => ({
  operationId,
  tags: ['agentic: model'],
  summary,
  responses: { 200: answer(summary, name), ...refusal('OpenAiFailure') },
  ...asked(MODELS),
  'x-ai-risk': { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
});

const stream: JsonSchema = {
  operationId: 'agentic.chat.stream',
  tags: ['agentic: chat'],
  summary: 'The rest of an own streamed turn: live where it runs, else what was stored of it',
  parameters: [
    { name: 'turnId', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'after',
      in: 'query',
      required: false,
      description: 'Number of the last event received (`id:`); or the header Last-Event-ID',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
  ],
  responses: {
    200: {
      description: 'Chunks',
      content: events(CHUNKS, 'ChatCompletionChunk'),
    },
    ...refusal('OpenAiFailure'),
  },
  ...asked(CHAT),
  'x-ai-risk': { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
};

/** Chat and models (docs/specification/assistant.md, Chat completions). */
export const chatPaths: Record<string, JsonSchema> = {
  '/api/v3/agentic/chat/completions': { post: chat },
  '/api/v3/agentic/responses': { post: responses },
  ...storedPaths,
  '/api/v3/agentic/chat/stream/{turnId}': { get: stream },
  '/api/v3/agentic/models': {
    get: models(
      'agentic.models.list',
      'Models in the shape of OpenAI; also below /v1',
      'OpenAiModels',
    ),
  },
  '/api/v3/agentic/models/{id}': {
    get: {
      ...models(
        'agentic.models.get',
        'One model in the shape of OpenAI; also below /v1',
        'OpenAiModel',
      ),
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    },
  },
};
