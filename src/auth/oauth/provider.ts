import type { Configuration, errors, Provider } from 'oidc-provider';

import type { App } from '../../app.ts';
import { perApp } from '../per-app.ts';
import { adapterFactory } from './adapter.ts';
import { resourceOf, SCOPES } from './scope.ts';
import { cookieKey, signingKey } from './signing-key.ts';

const ACCESS_SECONDS = 15 * 60;
const CODE_SECONDS = 60;
const REFRESH_SECONDS = 30 * 24 * 60 * 60;
const PAGE_SECONDS = 10 * 60;
const SESSION_SECONDS = 12 * 60 * 60;

type Library = { Provider: typeof Provider; errors: typeof errors };

const providers = perApp((): { built: Promise<Provider> | null } => ({ built: null }));

/** The authorization server, built at first use, when the public address is known. */
export function providerOf(app: App): Promise<Provider> {
  const slot = providers(app);
  slot.built ??= build(app).catch((error: unknown) => {
    slot.built = null; // the database may be there at the next request
    throw error;
  });
  return slot.built;
}

async function build(app: App): Promise<Provider> {
  const library = await loadQuietly();
  const jwks = { keys: [await signingKey(app)] };
  const provider = new library.Provider(app.config.baseUrl, {
    ...configuration(app, library),
    adapter: adapterFactory(app),
    jwks,
    cookies: { keys: [cookieKey(app)] },
  });
  // mount.ts writes the forwarded headers itself, so that every URL carries the public address.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => app.log.error({ err: error }, 'OAuth failed'));
  provider.silent = true; // Koa would print to the console
  return provider;
}

/** Only client credentials are enabled so far; further grants are added here. */
function configuration(
  app: App,
  { errors: { InvalidScope, InvalidTarget } }: Library,
): Configuration {
  return {
    scopes: [...SCOPES],
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['client_credentials'],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    },
    routes: {
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      jwks: '/oauth2/jwks',
      revocation: '/oauth2/revoke',
      introspection: '/oauth2/introspect',
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwn(client, token) },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => isOwn(client, token),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resourceOf(app),
        useGrantedResource: () => true,
        getResourceServerInfo(ctx, indicator, client) {
          if (withoutSlash(indicator) !== resourceOf(app)) throw new InvalidTarget();
          const registered = client.scope ?? '';
          const params = ctx.oidc.params ?? {};
          // A request without scope would end in a token that may do nothing.
          const asked = typeof params['scope'] === 'string' ? params['scope'] : registered;
          params['scope'] = asked;
          const excess = asked.split(' ').filter((scope) => !registered.split(' ').includes(scope));
          if (excess.length > 0) {
            throw new InvalidScope('requested scope is not allowed', excess.join(' '));
          }
          return {
            scope: registered,
            audience: resourceOf(app),
            accessTokenTTL: ACCESS_SECONDS,
            accessTokenFormat: 'opaque',
          };
        },
      },
    },
    ttl: {
      AccessToken: ACCESS_SECONDS,
      ClientCredentials: ACCESS_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Grant: REFRESH_SECONDS,
      IdToken: ACCESS_SECONDS,
      Interaction: PAGE_SECONDS,
      Session: SESSION_SECONDS,
    },
    clientBasedCORS: () => false,
    // Errors stay the protocol's JSON, also for whoever asks with a browser.
    renderError(ctx, out) {
      ctx.type = 'application/json';
      ctx.body = out;
    },
  };
}

const isOwn = (client: { clientId: string }, token: { clientId?: string | undefined }): boolean =>
  token.clientId === client.clientId;

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** The library warns about every Node that is not a long-term release, at import, on the console. */
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
