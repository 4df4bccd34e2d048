import { SCOPES_OF } from '../../auth/oauth/audience.ts';
import type { JsonSchema } from '../../core/input/json-schema.ts';
import type { Route } from '../../route.ts';
import { CHAT, MODELS } from '../centers.ts';

const answer = (description: string): JsonSchema => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});

const asked = ({ needs, scope }: Pick<Route, 'needs' | 'scope'>): JsonSchema => ({
  security: [{ tenant: [], login: [], token: [] }, { oauth: [scope] }, { key: [scope] }],
  'x-permission': `svc-center-agentic:${needs}`,
  'x-scope': scope,
});

const open = (operationId: string, tag: string, summary: string): JsonSchema => ({
  operationId,
  tags: [tag],
  summary,
  security: [],
  responses: { 200: answer(summary) },
});

const sent = (
  operationId: string,
  summary: string,
  type: string,
  schema: JsonSchema,
): JsonSchema => ({
  ...open(operationId, 'oauth', summary),
  requestBody: { required: true, content: { [type]: { schema } } },
});

const json = (operationId: string, summary: string, schema: JsonSchema): JsonSchema =>
  sent(operationId, summary, 'application/json', schema);

const form = (operationId: string, summary: string, ...fields: string[]): JsonSchema =>
  sent(operationId, summary, 'application/x-www-form-urlencoded', {
    type: 'object',
    required: fields,
    properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  });

const chat: JsonSchema = {
  operationId: 'agentic.chat.completions',
  tags: ['agentic: chat'],
  summary: 'Chat completions in the shape of OpenAI; stream=true answers server-sent events',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['messages'],
          properties: {
            model: { type: 'string' },
            stream: { type: 'boolean', default: false },
            temperature: { type: 'number', minimum: 0, maximum: 2 },
            max_completion_tokens: { type: 'integer', minimum: 1 },
            conversationId: { type: 'string' },
            messages: {
              type: 'array',
              items: {
                type: 'object',
                required: ['role', 'content'],
                properties: { role: { type: 'string' }, content: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'A completion, or its chunks',
      content: {
        'application/json': { schema: { type: 'object' } },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
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

const models = (operationId: string, summary: string): JsonSchema => ({
  ...open(operationId, 'agentic: model', summary),
  ...asked(MODELS),
  'x-ai-risk': { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
});

const mcp: JsonSchema = {
  operationId: 'mcp',
  tags: ['mcp'],
  summary: 'MCP over Streamable HTTP: JSON-RPC 2.0, revisions 2025-11-25 and 2026-07-28',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  responses: { 200: answer('A JSON-RPC response, or a stream of them') },
  security: SCOPES_OF.mcp.flatMap((scope) => [{ oauth: [scope] }, { key: [scope] }]),
};

/** Paths outside the endpoint tables, in the shapes of their own standards. */
export const extraPaths: Record<string, JsonSchema> = {
  '/api/v3/agentic/chat/completions': { post: chat },
  '/api/v3/agentic/models': {
    get: models('agentic.models.list', 'Models in the shape of OpenAI; also below /v1'),
  },
  '/api/v3/agentic/models/{id}': {
    get: {
      ...models('agentic.models.get', 'One model in the shape of OpenAI; also below /v1'),
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    },
  },
  '/mcp': { post: mcp },
  '/.well-known/oauth-protected-resource': {
    get: open('oauth.protectedResource', 'oauth', 'Which server gives tokens for MCP (RFC 9728)'),
  },
  '/.well-known/oauth-protected-resource/api/v3': {
    get: open('oauth.protectedApi', 'oauth', 'Which server gives tokens for the API (RFC 9728)'),
  },
  '/.well-known/oauth-authorization-server': {
    get: open('oauth.metadata', 'oauth', 'What the authorization server can do (RFC 8414)'),
  },
  '/oauth2/authorize': {
    get: {
      ...open('oauth.authorize', 'oauth', 'Login and consent of a person, then a code (OAuth 2.1)'),
      parameters: [
        'response_type',
        'client_id',
        'redirect_uri',
        'code_challenge',
        'code_challenge_method',
        'scope',
        'state',
        'resource',
      ].map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } })),
      responses: { 303: { description: 'On to the login page, or back to the client' } },
    },
  },
  '/oauth2/register': {
    post: json('oauth.register', 'Register a client (RFC 7591)', {
      type: 'object',
      required: ['redirect_uris'],
      properties: {
        client_name: { type: 'string' },
        redirect_uris: { type: 'array', items: { type: 'string', format: 'uri' } },
        scope: { type: 'string' },
      },
    }),
  },
  '/oauth2/token': { post: form('oauth.token', 'A token for a grant (RFC 6749)', 'grant_type') },
  '/oauth2/revoke': { post: form('oauth.revoke', 'Revoke a token (RFC 7009)', 'token') },
  '/oauth2/jwks': { get: open('oauth.jwks', 'oauth', 'The keys that sign tokens') },
  '/healthz': { get: open('health.alive', 'health', 'Whether the process answers') },
  '/readyz': { get: open('health.ready', 'health', 'Whether it can work, database included') },
};
