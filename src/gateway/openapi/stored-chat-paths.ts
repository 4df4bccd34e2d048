import { ConversationItem, ConversationItems } from '../../agentic/chat/conversation-items.ts';
import { ChatConversation, DeletedConversation } from '../../agentic/chat/conversation.ts';
import { DeletedResponse, ResponseInput } from '../../agentic/chat/response-store.ts';
import type { Route } from '../../kernel/app/route.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import { CHAT } from '../mount/centers.ts';
import { answer, refusal } from './answer-reference.ts';
import { INTERACTIVE } from './operation.ts';

export const storedAnswers = {
  ChatConversation,
  ConversationItem,
  ConversationItems,
  DeletedConversation,
  DeletedResponse,
  ResponseInput,
};

/** What an operation in the shape of OpenAI asks of its caller. */
export const asked = ({ needs, scope }: Pick<Route, 'needs' | 'scope'>): JsonSchema => ({
  security: [...INTERACTIVE, { oauth: [scope] }, { key: [scope] }],
  'x-permission': `svc-center-agentic:${needs}`,
  'x-scope': scope,
});

type Stored = {
  /** After `agentic.`. */
  id: string;
  summary: string;
  /** Name of the answer. */
  name: string;
  needs?: string;
  /** Ids in the path. */
  ids?: readonly string[];
  query?: readonly JsonSchema[];
  body?: JsonSchema;
  isChange?: boolean;
};

const operation = ({
  id,
  summary,
  name,
  needs = CHAT.needs,
  ids = ['id'],
  query = [],
  body,
  isChange = false,
}: Stored): JsonSchema => ({
  operationId: `agentic.${id}`,
  tags: ['agentic: chat'],
  summary: `${summary}; also below /v1`,
  parameters: [
    ...ids.map((named) => ({
      name: named,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...query,
  ],
  ...(body && {
    requestBody: {
      required: body['required'] !== undefined,
      content: { 'application/json': { schema: body } },
    },
  }),
  responses: { 200: answer(summary, name), ...refusal('OpenAiFailure') },
  ...asked({ needs, scope: CHAT.scope }),
  'x-ai-risk': {
    riskLevel: isChange ? 'MEDIUM' : 'LOW',
    destructive: false,
    idempotent: !isChange,
    openWorld: false,
  },
});

const inQuery = (name: string, schema: JsonSchema) => ({
  name,
  in: 'query',
  required: false,
  schema,
});
const ofPage: readonly JsonSchema[] = [
  inQuery('after', { type: 'string' }),
  inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  inQuery('order', { type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
];

const metadata: JsonSchema = {
  type: ['object', 'null'],
  maxProperties: 16,
  additionalProperties: { type: 'string', maxLength: 512 },
};
const items: JsonSchema = { type: 'array', maxItems: 20, items: { type: 'object' } };

/** Stored responses and conversations (docs/specification/assistant.md, Responses API). */
export const storedPaths: Record<string, JsonSchema> = {
  '/api/v3/agentic/responses/{id}': {
    get: operation({
      id: 'responses.get',
      summary: 'An own response as it is now, or its events, for 30 days',
      name: 'ChatResponse',
      query: [
        inQuery('stream', { type: 'boolean', default: false }),
        inQuery('starting_after', { type: 'integer', minimum: 0 }),
      ],
    }),
    delete: operation({
      id: 'responses.delete',
      summary: 'Forget a response: it is read and continued no more; its conversation stays',
      name: 'DeletedResponse',
    }),
  },
  '/api/v3/agentic/responses/{id}/cancel': {
    post: operation({
      id: 'responses.cancel',
      summary: 'End an own response that is made in the background',
      name: 'ChatResponse',
      isChange: true,
    }),
  },
  '/api/v3/agentic/responses/{id}/input_items': {
    get: operation({
      id: 'responses.input_items',
      summary: 'What a response was asked, the latest first',
      name: 'ResponseInput',
      query: ofPage,
    }),
  },
  '/api/v3/agentic/conversations': {
    post: operation({
      id: 'conversations.create',
      summary: 'A conversation, empty or with these messages',
      name: 'ChatConversation',
      ids: [],
      body: { type: 'object', properties: { metadata, items } },
      isChange: true,
    }),
  },
  '/api/v3/agentic/conversations/{id}': {
    get: operation({
      id: 'conversations.get',
      summary: 'An own conversation, however it began',
      name: 'ChatConversation',
      needs: 'session:get',
    }),
    post: operation({
      id: 'conversations.update',
      summary: 'Replace the metadata of a conversation',
      name: 'ChatConversation',
      needs: 'session:update',
      body: { type: 'object', required: ['metadata'], properties: { metadata } },
      isChange: true,
    }),
    delete: operation({
      id: 'conversations.delete',
      summary: 'Delete a conversation with its messages, memory, attachments and responses',
      name: 'DeletedConversation',
      needs: 'session:delete',
      isChange: true,
    }),
  },
  '/api/v3/agentic/conversations/{id}/items': {
    get: operation({
      id: 'conversations.items.list',
      summary: 'Messages of a conversation, of the branch that goes on, the latest first',
      name: 'ConversationItems',
      needs: 'message:list',
      query: ofPage,
    }),
    post: operation({
      id: 'conversations.items.create',
      summary: 'Add messages to the end of a conversation',
      name: 'ConversationItems',
      body: { type: 'object', required: ['items'], properties: { items } },
      isChange: true,
    }),
  },
  '/api/v3/agentic/conversations/{id}/items/{item}': {
    get: operation({
      id: 'conversations.items.get',
      summary: 'A message of a conversation',
      name: 'ConversationItem',
      needs: 'message:list',
      ids: ['id', 'item'],
    }),
  },
};
