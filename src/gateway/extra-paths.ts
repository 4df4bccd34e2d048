import { SCOPES_OF } from '../auth/permission/audience.ts';
import type { JsonSchema } from '../kernel/input/json-schema.ts';
import { chatAnswers, chatPaths } from './chat-paths.ts';
import { Alive, Ready } from './health.ts';
import { liveAnswers, livePaths } from './live-path.ts';
import { answer } from './openapi/answer-reference.ts';
import { oauthAnswers } from './openapi/oauth-answers.ts';
import { oauthPaths } from './openapi/oauth-paths.ts';

/** Answers of these paths, by their names in the document. */
export const extraAnswers = { Alive, Ready, ...chatAnswers, ...liveAnswers, ...oauthAnswers };

const mcp: JsonSchema = {
  operationId: 'mcp',
  tags: ['mcp'],
  summary: 'MCP over Streamable HTTP: JSON-RPC 2.0, revisions 2025-11-25 and 2026-07-28',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  responses: {
    200: {
      description: 'A JSON-RPC response, or a stream of them',
      content: {
        'application/json': { schema: { type: 'object' } },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    401: {
      description:
        'No token or key that counts here; WWW-Authenticate names the metadata (RFC 9728)',
      headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    '4XX': {
      description: 'Refused; the error says why',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
  security: SCOPES_OF.mcp.flatMap((scope) => [{ oauth: [scope] }, { key: [scope] }]),
};

const health = (operationId: string, summary: string, responses: JsonSchema): JsonSchema => ({
  operationId,
  tags: ['health'],
  summary,
  security: [],
  responses,
});

/** Paths outside the endpoint tables, in the shapes of their own standards. */
export const extraPaths: Record<string, JsonSchema> = {
  ...chatPaths,
  ...livePaths,
  '/mcp': { post: mcp },
  ...oauthPaths,
  '/healthz': {
    get: health('health.alive', 'Whether the process answers', { 200: answer('It does', 'Alive') }),
  },
  '/readyz': {
    get: health('health.ready', 'Whether it can work, database included', {
      200: answer('It can work', 'Ready'),
      503: answer('It waits', 'Ready'),
    }),
  },
};
