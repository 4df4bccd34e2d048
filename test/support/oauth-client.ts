import * as oauth from 'oauth4webapi';
import { z } from 'zod';

import type { Session } from './session.ts';

// oauth4webapi checks every answer against its RFC; over plain HTTP because tests run on loopback.
export const insecure = { [oauth.allowInsecureRequests]: true } as const;

const Registered = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.string(),
  grant_types: z.array(z.string()),
  token_endpoint: z.url(),
});

/** A client of the authorization server under test, strict about what it gets. */
export type OauthClient = z.infer<typeof Registered> & {
  accountId: string;
  principalId: string;
  /** What oauth4webapi's own functions take. */
  identity: oauth.Client;
  /** A token, or oauth4webapi's error. */
  ask(
    parameters?: Record<string, string>,
    auth?: oauth.ClientAuth,
  ): Promise<oauth.TokenEndpointResponse>;
};

/** The metadata of the server at `base`, checked (RFC 8414 3.3). */
export async function discover(
  base: string,
  algorithm: 'oauth2' | 'oidc' = 'oauth2',
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(base);
  const answer = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
  return oauth.processDiscoveryResponse(issuer, answer);
}

let accounts = 0;

/** A service account of the session's tenant and a client for it, made over REST. */
export async function newClient(
  session: Session,
  server: oauth.AuthorizationServer,
  scope?: string,
): Promise<OauthClient> {
  const id = await session.data('/api/v3/auth/service_account/add', {
    serviceAccountName: `agent-${++accounts}`,
  });
  const { principalId } = z
    .object({ principalId: z.string() })
    .parse(
      await session.data('/api/v3/auth/service_account/get_by_id', undefined, { id: String(id) }),
    );
  const registered = Registered.parse(
    await session.data('/api/v3/auth/mcp/client/register', {
      client_name: 'conformance',
      grant_types: ['client_credentials'],
      service_account_principal_id: principalId,
      ...(scope === undefined ? {} : { scope }),
    }),
  );
  const secret = oauth.ClientSecretBasic(registered.client_secret);
  return {
    ...registered,
    accountId: String(id),
    principalId,
    identity: { client_id: registered.client_id },
    ask: (parameters = {}, auth = secret) => ask(server, registered, auth, parameters),
  };
}

/** The client credentials grant (RFC 6749 4.4), the answer checked. */
export async function ask(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  parameters: Record<string, string>,
): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    auth,
    parameters,
    insecure,
  );
  return oauth.processClientCredentialsResponse(server, client, answer);
}

/** Status and OAuth error of a request that must fail. */
export async function refusal(promise: Promise<unknown>) {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof oauth.ResponseBodyError) {
    return { status: error.status, error: error.error };
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const body = z.object({ error: z.string() }).parse(await error.response.json());
    return { status: error.status, error: body.error, challenge: error.cause[0]?.scheme };
  }
  throw new Error('it was not refused', { cause: error });
}
