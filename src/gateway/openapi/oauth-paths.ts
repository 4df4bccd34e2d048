import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import { answer, json, refusal } from './answer-reference.ts';

const read = (operationId: string, summary: string, name: string): JsonSchema => ({
  operationId,
  tags: ['oauth'],
  summary,
  security: [],
  responses: { 200: answer(summary, name) },
});

const sent = (
  operationId: string,
  summary: string,
  body: JsonSchema,
  responses: JsonSchema,
): JsonSchema => ({
  operationId,
  tags: ['oauth'],
  summary,
  security: [],
  requestBody: { required: true, content: body },
  responses: { ...responses, ...refusal('OAuthError') },
});

const form = (...fields: string[]): JsonSchema => ({
  'application/x-www-form-urlencoded': {
    schema: {
      type: 'object',
      required: fields,
      properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
    },
  },
});

/** The authorization server (docs/specification/authorization.md). */
export const oauthPaths: Record<string, JsonSchema> = {
  '/.well-known/oauth-protected-resource': {
    get: read(
      'oauth.protectedResource',
      'Which server gives tokens for MCP (RFC 9728)',
      'ProtectedResource',
    ),
  },
  '/.well-known/oauth-protected-resource/api/v3': {
    get: read(
      'oauth.protectedApi',
      'Which server gives tokens for the API (RFC 9728)',
      'ProtectedResource',
    ),
  },
  '/.well-known/oauth-authorization-server': {
    get: read(
      'oauth.metadata',
      'What the authorization server can do (RFC 8414)',
      'AuthorizationServer',
    ),
  },
  '/oauth2/authorize': {
    get: {
      operationId: 'oauth.authorize',
      tags: ['oauth'],
      summary: 'Login and consent of a person, then a code (OAuth 2.1)',
      security: [],
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
      responses: {
        303: { description: 'On to the login page, or back to the client' },
        400: {
          description: 'A page with what is wrong, where no client is known to go back to',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        429: { description: 'Too many authorization requests of this source, or in all' },
      },
    },
  },
  '/oauth2/register': {
    post: sent(
      'oauth.register',
      'Register a client (RFC 7591)',
      {
        'application/json': {
          schema: {
            type: 'object',
            required: ['redirect_uris'],
            properties: {
              client_name: { type: 'string' },
              redirect_uris: { type: 'array', items: { type: 'string', format: 'uri' } },
              scope: { type: 'string' },
            },
          },
        },
      },
      { 201: answer('The client', 'OAuthClient') },
    ),
  },
  '/oauth2/device_authorization': {
    post: sent(
      'oauth.deviceAuthorization',
      'Begin the login of a program without a browser (RFC 8628)',
      form('client_id'),
      { 200: answer('The codes', 'DeviceAuthorization') },
    ),
  },
  '/oauth2/device': {
    get: {
      operationId: 'oauth.device',
      tags: ['oauth'],
      summary: 'The page on which a person enters the code of a program without a browser',
      security: [],
      parameters: [{ name: 'user_code', in: 'query', required: false, schema: { type: 'string' } }],
      responses: {
        200: { description: 'The page', content: { 'text/html': { schema: { type: 'string' } } } },
      },
    },
  },
  '/oauth2/token': {
    post: sent('oauth.token', 'A token for a grant (RFC 6749)', form('grant_type'), {
      200: answer('The token', 'Token'),
    }),
  },
  '/oauth2/revoke': {
    post: sent('oauth.revoke', 'Revoke a token (RFC 7009)', form('token'), {
      200: { description: 'Revoked, or never valid' },
    }),
  },
  '/oauth2/jwks': {
    get: {
      ...read('oauth.jwks', 'The keys that sign tokens', 'KeySet'),
      responses: {
        200: {
          description: 'The keys (RFC 7517)',
          content: { 'application/jwk-set+json': json('KeySet')['application/json'] },
        },
      },
    },
  },
};
