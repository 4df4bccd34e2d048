import { z } from 'zod';

const Url = z.string().meta({ format: 'uri', examples: ['https://data.example.com'] });
const Words = z.array(z.string());

/** RFC 9728 2. */
const ProtectedResource = z
  .object({
    resource: Url,
    authorization_servers: z.array(Url),
    bearer_methods_supported: Words,
    scopes_supported: Words,
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResource' });

/** RFC 8414 2: the fields that clients of this server need, of all that it answers. */
const AuthorizationServer = z
  .looseObject({
    issuer: Url,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    registration_endpoint: Url,
    device_authorization_endpoint: Url,
    revocation_endpoint: Url,
    introspection_endpoint: Url,
    scopes_supported: Words,
    response_types_supported: Words,
    grant_types_supported: Words,
    code_challenge_methods_supported: Words,
    token_endpoint_auth_methods_supported: Words,
  })
  .meta({ id: 'AuthorizationServer' });

/** RFC 7591 3.2.1. */
const OAuthClient = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.number().int().describe('Seconds since the epoch'),
    client_name: z.string().meta({ examples: ['Claude'] }),
    redirect_uris: z.array(Url),
    application_type: z.enum(['web', 'native']),
    grant_types: Words,
    response_types: Words,
    token_endpoint_auth_method: z.literal('none'),
  })
  .meta({ id: 'OAuthClient' });

/** RFC 8628 3.2. */
const DeviceAuthorization = z
  .object({
    device_code: z.string(),
    user_code: z.string().meta({ examples: ['BCDF-GHJK'] }),
    verification_uri: Url,
    verification_uri_complete: Url,
    expires_in: z.number().int().describe('Seconds'),
    interval: z.number().int().describe('Seconds between two questions'),
  })
  .meta({ id: 'DeviceAuthorization' });

/** RFC 6749 5.1. */
const Token = z
  .object({
    access_token: z.string(),
    token_type: z.string().meta({ examples: ['Bearer'] }),
    expires_in: z.number().int().describe('Seconds'),
    scope: z.string().meta({ examples: ['svc:read'] }),
    refresh_token: z.string().optional().describe('Of a person'),
  })
  .meta({ id: 'Token' });

/** RFC 6749 5.2. */
const OAuthError = z
  .object({
    error: z.string().meta({ examples: ['invalid_grant'] }),
    error_description: z.string().optional(),
  })
  .meta({ id: 'OAuthError' });

/** RFC 7517 5. */
const KeySet = z
  .object({
    keys: z.array(
      z.looseObject({
        kty: z.string(),
        use: z.string(),
        alg: z.string(),
        kid: z.string(),
      }),
    ),
  })
  .meta({ id: 'KeySet' });

/** Answers of the authorization server, by their names in the document. */
export const oauthAnswers = {
  ProtectedResource,
  AuthorizationServer,
  OAuthClient,
  DeviceAuthorization,
  Token,
  OAuthError,
  KeySet,
};
