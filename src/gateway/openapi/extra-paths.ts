import { SCOPES_OF } from '../../auth/permission/audience.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import { LiveEnd, LiveEvent, LiveGap, LiveSync, LiveValue } from '../../live/answer.ts';
import { Alive, Ready } from '../mount/health.ts';
import { LIVE_PATH } from '../mount/live.ts';
import { answer, events } from './answer-reference.ts';
import { chatAnswers, chatPaths } from './chat-paths.ts';
import { oauthAnswers } from './oauth-answers.ts';
import { oauthPaths } from './oauth-paths.ts';
import { INTERACTIVE } from './operation.ts';

/** The data of each event, by its name in the document. */
const liveAnswers = { LiveSync, LiveValue, LiveEvent, LiveGap, LiveEnd };

const failure = { $ref: '#/components/responses/Failure' };

const list = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'query',
  required: false,
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', items: { type: 'string' }, maxItems: 200 },
  examples: { usual: { value: [example] } },
});

/** The stream of what a page shows (docs/specification/endpoints.md, Live stream). */
const livePaths: Record<string, JsonSchema> = {
  [LIVE_PATH]: {
    get: {
      operationId: 'data.live',
      tags: ['data: live'],
      summary: 'Streams values, alarms, actions, receipts and the status of devices as they change',
      parameters: [
        list('points', 'DEVICE:POINT, the points whose values are sent', '7312:41'),
        list('devices', 'The devices whose status is sent', '7312'),
        {
          name: 'cursor',
          in: 'query',
          required: false,
          description: 'Id of an earlier event, to miss none after it; also as Last-Event-ID',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description:
            'Events: sync (LiveSync) first, then value (LiveValue), device, alarm, action and receipt (LiveEvent), ' +
            'resume-gap (LiveGap) where the cursor is too old, and end (LiveEnd) last',
          content: events('Events, each with its name', ...Object.keys(liveAnswers)),
        },
        401: failure,
        403: failure,
        '4XX': failure,
      },
      security: [...INTERACTIVE, { oauth: ['svc:read'] }, { key: ['svc:read'] }],
      'x-scope': 'svc:read',
      'x-ai-risk': { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
    },
  },
};

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
