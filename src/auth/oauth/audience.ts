import type { App, Scope } from '../../app.ts';
import { LOOPBACK } from './client/redirect-uri.ts';
import { SCOPES } from './scope.ts';

/** What a token or key is for (RFC 8707): one of the two, never both. */
export type Audience = 'mcp' | 'api';

export const AUDIENCES = ['mcp', 'api'] as const satisfies readonly Audience[];

const PATH: Record<Audience, string> = { mcp: '/mcp', api: '/api/v3' };

/** The scopes that open something there. */
export const SCOPES_OF: Record<Audience, readonly Scope[]> = {
  mcp: SCOPES.filter((scope) => scope !== 'svc:chat'),
  api: SCOPES,
};

/** What an audience is, for the person who is asked. */
export const AUDIENCE_WORDS: Record<Audience, string> = {
  mcp: 'the tools for agents (MCP)',
  api: 'the API and the chat',
};

/**
 * The addresses the platform is known by, the configured one first. The names of this computer stand for each
 * other; no other name does, so that no Host header can lead a login elsewhere.
 */
function addressesOf({ config: { baseUrl } }: App): readonly string[] {
  const { hostname } = new URL(baseUrl);
  if (!LOOPBACK.includes(hostname)) return [baseUrl];
  return [...new Set([hostname, ...LOOPBACK])].map((name) => baseUrl.replace(hostname, name));
}

type Asked = { headers: { host?: string | undefined; 'x-forwarded-host'?: unknown } };

/** The address of these under which a request came; the configured one for a request under any other name. */
export function addressAsked(app: App, { headers }: Asked): string {
  // The gateway names the host to an auth center that runs elsewhere.
  const host = headers['x-forwarded-host'] ?? headers.host;
  const asked = addressesOf(app).find((address) => new URL(address).host === host);
  return asked ?? app.config.baseUrl;
}

/** The resource of an audience, without a trailing slash; tokens name it by the configured address. */
export const resourceOf = (
  app: App,
  audience: Audience,
  address: string = app.config.baseUrl,
): string => address + PATH[audience];

/** Where the metadata of a resource is (RFC 9728 3.1). */
export const metadataUrlOf = (audience: Audience, address: string): string =>
  `${address}/.well-known/oauth-protected-resource${PATH[audience]}`;

/** How clients write the resource: by any name of this computer, some with a slash. */
export const spellingsOf = (app: App, audience: Audience): readonly string[] =>
  addressesOf(app)
    .map((address) => resourceOf(app, audience, address))
    .flatMap((resource) => [resource, `${resource}/`]);

/** The one audience that all of these resources mean; undefined where there is none. */
export const audienceOf = (app: App, resources: readonly string[]): Audience | undefined =>
  AUDIENCES.find((audience) => {
    const spellings = spellingsOf(app, audience);
    return resources.every((resource) => spellings.includes(resource));
  });
