import * as oauth from 'oauth4webapi';
import { z } from 'zod';

import { testEnvironment } from '../world/environment.ts';
import { Browser, type Page } from './browser.ts';
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

/** A client that registered itself, with everything an authorization request of it needs. */
export type AppClient = oauth.Client & { redirectUri: string };

/** Registers a public client as MCP clients do (RFC 7591), the answer checked. */
export async function registerApp(
  server: oauth.AuthorizationServer,
  redirectUri = 'http://127.0.0.1:7777/callback',
  metadata: Record<string, string> = {},
): Promise<AppClient> {
  const answer = await oauth.dynamicClientRegistrationRequest(
    server,
    { client_name: 'Test App', redirect_uris: [redirectUri], ...metadata },
    insecure,
  );
  const { client_id } = await oauth.processDynamicClientRegistrationResponse(answer);
  return { client_id, token_endpoint_auth_method: 'none', redirectUri };
}

export type Asked = { url: URL; verifier: string; state: string };

/** An authorization request with PKCE; `change` overrides parameters, empty ones are left out. */
export async function authorizationUrl(
  server: oauth.AuthorizationServer,
  client: AppClient,
  change: Record<string, string> = {},
): Promise<Asked> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(z.string().parse(server.authorization_endpoint));
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: `${server.issuer}/mcp`,
    state,
    ...change,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') url.searchParams.set(name, value);
  }
  return { url, verifier, state };
}

export const admin = {
  tenant: 'default',
  login: 'admin',
  password: testEnvironment.SVC_ADMIN_PASSWORD,
};

/** Goes through the pages as a person does, up to the address the client gets, taking some scopes away. */
export async function allowAll(
  browser: Browser,
  url: URL,
  person: Record<string, string> = admin,
  taken: readonly string[] = [],
): Promise<Page> {
  let page = await browser.get(url);
  if (page.forms.some(({ action }) => action.endsWith('/login'))) {
    page = await browser.submit(page, /\/login$/, person);
  }
  if (page.forms.some(({ action }) => action.endsWith('/consent'))) {
    const unchecked = Object.fromEntries(taken.map((scope) => [scope, '']));
    page = await browser.submit(page, /\/consent$/, { decision: 'allow', ...unchecked });
  }
  return page;
}

/** The parameters at the callback, checked (RFC 6749 4.1.2, RFC 9207). */
export const callback = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  page: { url: string },
  state: string,
): URLSearchParams => oauth.validateAuthResponse(server, client, new URL(page.url), state);

/** Redeems a code, the answer checked. */
export async function redeem(
  server: oauth.AuthorizationServer,
  client: AppClient,
  parameters: URLSearchParams,
  verifier: string,
  extra: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    client.redirectUri,
    verifier,
    { ...insecure, additionalParameters: extra },
  );
  return oauth.processAuthorizationCodeResponse(server, client, answer);
}

export async function refresh(
  server: oauth.AuthorizationServer,
  client: AppClient,
  token: string,
  extra: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, {
    ...insecure,
    additionalParameters: extra,
  });
  return oauth.processRefreshTokenResponse(server, client, answer);
}

/** Tokens of a person for a client, the whole way through the pages. */
export async function tokensFor(
  base: string,
  server: oauth.AuthorizationServer,
  client: AppClient,
  {
    scope = 'svc:read',
    person = admin,
    browser = new Browser(base),
    resource = `${base}/mcp`,
    taken = [] as readonly string[],
  } = {},
): Promise<{ access: string; refresh: string; scope: string | undefined }> {
  const { url, verifier, state } = await authorizationUrl(server, client, { scope, resource });
  const page = await allowAll(browser, url, person, taken);
  const tokens = await redeem(server, client, callback(server, client, page, state), verifier);
  return {
    access: tokens.access_token,
    refresh: z.string().parse(tokens.refresh_token),
    scope: tokens.scope,
  };
}

const Grants = z.object({ records: z.array(z.object({ grantId: z.string() })) });

/** The id of a grant that the person of this session gives a new client. */
export async function newGrant(session: Session): Promise<string> {
  const server = await discover(session.base);
  const client = await registerApp(server);
  const login = session.headers['x-auth-login'] ?? '';
  await tokensFor(session.base, server, client, {
    person: { ...admin, tenant: session.tenant, login },
  });
  const { records } = Grants.parse(await session.data('/api/v3/auth/mcp/grant/list', {}));
  return records[0]?.grantId ?? '';
}
