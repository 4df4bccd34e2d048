import type { Configuration, errors, interactionPolicy, Provider } from 'oidc-provider';

import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { cookieKey, signingKey } from '../credential/signing-key.ts';
import { audienceOf, resourceOf, SCOPES_OF } from '../permission/audience.ts';
import { isScope, SCOPES } from '../permission/scope.ts';
import { RESPONSE_MODE, useful } from './authorize-request.ts';
import { deviceFlow, deviceSession, INTERVAL_S } from './device.ts';
import { LIFETIME } from './lifetime.ts';
import { pageHeaders } from './page.ts';
import { errorPage } from './pages.ts';
import { findAccount, personOf } from './store/account.ts';
import { adapterFactory } from './store/adapter.ts';
import { takesDocuments } from './store/client-document.ts';
import { CLIENT_TENANT, tenantOf } from './store/client-metadata.ts';
import { recordTokens } from './store/issued.ts';
import { PAGE_PATH, PATHS, REGISTRATION_PATH } from './store/paths.ts';
import { repeatedRefresh } from './store/refresh-grace.ts';

type Library = {
  Provider: typeof Provider;
  errors: typeof errors;
  interactionPolicy: typeof interactionPolicy;
};

/** One per platform address: issuers are compared character by character (RFC 8414 3.3). */
const OAUTH_PROVIDERS = slot(() => new Map<string, Promise<Provider>>());

/**
 * The authorization server under one of the platform's addresses, built at first use, when they are known.
 * All share the same storage and differ only in their issuer.
 */
export function providerOf(app: App, address: string): Promise<Provider> {
  const oauthProviders = app.of(OAUTH_PROVIDERS);
  const known = oauthProviders.get(address);
  if (known) return known;
  const building = build(app, address).catch((error: unknown) => {
    oauthProviders.delete(address); // the database may be available at the next request
    throw error;
  });
  oauthProviders.set(address, building);
  return building;
}

async function build(app: App, address: string): Promise<Provider> {
  const library = await loadQuietly();
  const jwks = { keys: [await signingKey(app)] };
  const provider = new library.Provider(address, {
    ...configuration(app, library),
    discovery: { registration_endpoint: address + REGISTRATION_PATH },
    adapter: adapterFactory(app, library.errors),
    jwks,
  });
  // mount.ts writes the forwarded headers itself, so that every URL carries the public address.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => app.log.error({ err: error }, 'OAuth failed'));
  recordTokens(app, provider);
  provider.silent = true; // Koa would print to the console
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path.startsWith('/.well-known/')) onlyWhatIsServed(app, ctx.body);
    // Programs that know no default ask at once (RFC 8628 3.2).
    if (ctx.path === PATHS.device_authorization && ctx.status === 200)
      Object.assign(ctx.body ?? {}, { interval: INTERVAL_S });
  });
  provider.use(deviceSession(provider));
  provider.use(repeatedRefresh(app));
  return provider;
}

/** Removes what the library announces but is not supported here, and adds what it does not know of. */
function onlyWhatIsServed(app: App, metadata: unknown): void {
  if (typeof metadata !== 'object' || metadata === null) return;
  Object.assign(metadata, {
    response_modes_supported: [RESPONSE_MODE],
    scopes_supported: SCOPES,
    client_id_metadata_document_supported: takesDocuments(app),
  });
}

function configuration(app: App, library: Library): Configuration {
  return {
    scopes: [...SCOPES],
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['client_credentials'],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: { properties: [CLIENT_TENANT] },
    routes: PATHS,
    cookies: cookies(app),
    interactions: {
      policy: policy(library),
      url: (_ctx, { uid }) => `${PAGE_PATH}/${uid}`,
    },
    async findAccount(ctx, accountId, token) {
      const bound = tenantOf(ctx.oidc.client);
      if (bound !== null && bound !== personOf(accountId)?.tenantId) return undefined;
      const since =
        token !== undefined && 'grantId' in token
          ? { grantId: token.grantId ?? '' }
          : { issuedMs: Math.round((ctx.oidc.session?.loginTs ?? 0) * 1_000) };
      const account = await findAccount(app, accountId, since);
      return account && { accountId, claims: () => ({ sub: accountId }) };
    },
    /** The grant of this browser's session for the client, unless revoked or of another account. */
    async loadExistingGrant({ oidc }) {
      const { client, session, account, provider } = oidc;
      if (!client || !account) return undefined;
      const now = oidc.result?.consent?.grantId;
      // Of a program without a browser anyone may have begun the login: a person decides each time.
      const isDevice = oidc.deviceCode !== undefined;
      const grantId = now ?? (isDevice ? undefined : session?.grantIdFor(client.clientId));
      if (grantId === undefined) return undefined;
      const grant = await provider.Grant.find(grantId);
      if (grant?.accountId !== account.accountId || grant.clientId !== client.clientId) {
        return undefined;
      }
      // Asks again for scopes refused on an earlier page: the user may decide otherwise now.
      const refused = grant.getRejectedOIDCScope().split(' ');
      const isRefused = [...oidc.requestParamScopes].some((scope) => refused.includes(scope));
      if (now === undefined && isRefused) return undefined;
      return (await findAccount(app, account.accountId, { grantId })) && grant;
    },
    // By the client's grant types; no scope is needed for it.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Agents continue when the browser is closed; a logout ends the grant itself.
    expiresWithSession: () => false,
    features: features(app, library),
    ttl: LIFETIME,
    // Only the pages use cookies, so a script of any origin may call, as any program may.
    clientBasedCORS: () => true,
    renderError(ctx, out) {
      if (ctx.accepts('json', 'html') === 'html') {
        ctx.set(pageHeaders());
        const text = `The application asked wrongly (${out.error_description ?? out.error}). Go back to it and start again.`;
        ctx.body = errorPage('This request cannot be answered', text);
        return;
      }
      ctx.type = 'application/json';
      ctx.body = out;
    },
  };
}

function features(app: App, { errors: { InvalidScope, InvalidTarget } }: Library) {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    deviceFlow: deviceFlow(app),
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwn(client, token) },
    introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwn(client, token) },
    resourceIndicators: {
      enabled: true,
      // At the token endpoint: one of the granted spellings.
      defaultResource: (_ctx, _client, allowed) =>
        resourceOf(app, audienceOf(app, [allowed ?? []].flat()) ?? 'mcp'),
      useGrantedResource: () => true,
      getResourceServerInfo(ctx, indicator, client) {
        const params = ctx.oidc.params ?? {};
        // All resources together: a token has one audience.
        const audience = audienceOf(app, [indicator, ...named(params['resource'])]);
        if (!audience) throw new InvalidTarget();
        const registered = client.scope?.split(' ') ?? SCOPES;
        const opening = SCOPES_OF[audience].filter((scope) => registered.includes(scope));
        const allowed = opening.join(' ');
        const isProgram = params['grant_type'] === 'client_credentials';
        // A program that requests no scope would get a token without any.
        if (isProgram) params['scope'] ??= allowed;
        const asked = typeof params['scope'] === 'string' ? params['scope'].split(' ') : [];
        const wanted = useful(asked.filter(Boolean), SCOPES_OF[audience]);
        // Scopes beyond the registration are refused; unknown ones and those without an effect here are dropped.
        const excess = [
          ...asked.filter(isScope).filter((scope) => !registered.includes(scope)),
          ...wanted.filter((scope) => !opening.some((item) => item === scope)),
        ];
        if (isProgram) params['scope'] = wanted.join(' ');
        if (excess.length > 0) {
          throw new InvalidScope('requested scope is not allowed', excess.join(' '));
        }
        return {
          scope: allowed,
          audience: resourceOf(app, audience),
          accessTokenTTL: LIFETIME.AccessToken,
          accessTokenFormat: 'opaque',
        };
      },
    },
  } satisfies Configuration['features'];
}

/** The resources of a request: one parameter or several. */
const named = (given: unknown): string[] =>
  [given].flat().filter((item): item is string => typeof item === 'string');

/** Demands a new login when the session's user has logged out elsewhere or is no longer active. */
function policy({ interactionPolicy: { base, Check } }: Library) {
  const prompts = base();
  prompts
    .get('login')
    ?.checks.add(
      new Check(
        'login_over',
        'End-User authentication is required',
        'login_required',
        ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
      ),
    );
  return prompts;
}

/** For this host only, hidden from scripts, not sent with forms of other sites (RFC 6265bis). */
const cookieAttributes = ({ config: { baseUrl } }: App) =>
  ({
    httpOnly: true,
    sameSite: 'lax',
    secure: baseUrl.startsWith('https:'),
    signed: true,
    path: '/',
  }) as const;

function cookies(app: App): Configuration['cookies'] {
  const attributes = cookieAttributes(app);
  const { secure } = attributes;
  return {
    keys: [cookieKey(app)],
    names: {
      session: secure ? '__Host-svc_session' : 'svc_session',
      interaction: secure ? '__Host-svc_visit' : 'svc_visit',
      // The library sets a path on this cookie, which `__Host-` does not allow.
      resume: secure ? '__Secure-svc_resume' : 'svc_resume',
    },
    long: attributes,
    short: attributes,
  };
}

const isOwn = (client: { clientId: string }, token: { clientId?: string | undefined }): boolean =>
  token.clientId === client.clientId;

/** Hides the library's import-time warning about Node releases without long-term support. */
async function loadQuietly(): Promise<Library> {
  const { console: out } = globalThis;
  const warn = out.warn.bind(out);

  out.warn = (...said: unknown[]) => {
    if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said);
  };
  try {
    return await import('oidc-provider');
  } finally {
    out.warn = warn;
  }
}
