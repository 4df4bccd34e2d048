import { sessionCookie } from '../../auth/login/session.ts';
import { tokenCookie } from '../../auth/login/token-cookie.ts';
import { SCOPE_WORDS } from '../../auth/permission/scope.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';
import type { Config } from '../../kernel/process/config.ts';
import { centers } from '../mount/centers.ts';
import { answersOf } from './answers.ts';
import { extraAnswers, extraPaths } from './extra-paths.ts';
import { operationOf } from './operation.ts';

/** The OpenAPI 3.1 document of the whole API, built from the endpoint tables. */
export function openApi({ baseUrl }: Pick<Config, 'baseUrl'>): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const answers = answersOf(centers, extraAnswers);
  const parts: Record<string, JsonSchema> = {};
  for (const [center, routes] of Object.entries(centers)) {
    for (const route of routes) {
      const path = `/api/v3/${center}${route.path}`;
      paths[path] = {
        ...paths[path],
        [route.method]: operationOf(center, route, {
          data: answers.dataOf(center, route),
          examples: answers.examplesFor(center, route),
          parts,
        }),
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Device Data Platform',
      version: 'v3',
      description:
        'Log in with POST /api/v3/auth/token/salt, then /api/v3/auth/token/generate; send tenant, login ' +
        'and {salt, token} in three headers. Parameters may be sent in the query or the JSON body, in ' +
        'camelCase or snake_case; ids as string or number.',
    },
    // Relative, so that the page works under every host name of the gateway.
    servers: [{ url: '/' }],
    paths: { ...paths, ...extraPaths },
    components: {
      schemas: { ...answers.schemas, ...parts },
      responses: {
        Failure: {
          description: 'Refused; the code in the body says why',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      },
      securitySchemes: {
        tenant: header('X-Auth-Tenant', 'Tenant code'),
        login: header('X-Auth-Login', 'Login name'),
        token: header(
          'X-Auth-Token',
          'JSON object with salt and token, as the login answered them',
        ),
        tokenCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: tokenCookie({ baseUrl }),
          description:
            'Set by POST /api/v3/auth/token/generate; counts in place of X-Auth-Token, from pages of this host only',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie({ baseUrl }),
          description: 'Set by POST /api/v3/auth/session/begin; counts with its proof only',
        },
        proof: header('X-Svc-Proof', 'The proof that GET /api/v3/auth/session/current answers'),
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of POST /api/v3/auth/key/add, for this audience and with the scope',
        },
        oauth: {
          type: 'oauth2',
          flows: {
            clientCredentials: { tokenUrl: `${baseUrl}/oauth2/token`, scopes: SCOPE_WORDS },
            authorizationCode: {
              authorizationUrl: `${baseUrl}/oauth2/authorize`,
              tokenUrl: `${baseUrl}/oauth2/token`,
              scopes: SCOPE_WORDS,
            },
          },
        },
      },
    },
  };
}

const header = (name: string, description: string): JsonSchema => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});
