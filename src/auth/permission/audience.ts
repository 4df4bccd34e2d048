import type { App, Scope } from '../../kernel/app/app.ts';
import { LOOPBACK } from './redirect-uri.ts';
import { SCOPES } from './scope.ts';

/** The resource a token or key is valid for (RFC 8707): exactly one of the two. */
export type Audience = 'mcp' | 'api';

export const AUDIENCES = ['mcp', 'api'] as const satisfies readonly Audience[];

const MAX_RESOURCE = 2_048;

const PATH: Record<Audience, string> = { mcp: '/mcp', api: '/api/v3' };

/** The scopes with an effect at each audience. */
export const SCOPES_OF: Record<Audience, readonly Scope[]> = {
  mcp: SCOPES.filter((scope) => scope !== 'svc:chat'),
  api: SCOPES,
};

/** Names of the audiences on the consent page. */
export const AUDIENCE_WORDS: Record<Audience, string> = {
  mcp: 'the tools for agents (MCP)',
  api: 'the API and the chat',
};

/**
 * The platform's addresses, the configured one first. Loopback names are interchangeable; no other name is
 * accepted, so that no Host header can lead a login elsewhere.
 */
function addressesOf({ config: { baseUrl } }: App): readonly string[] {
  const { hostname } = new URL(baseUrl);
  if (!LOOPBACK.includes(hostname)) return [baseUrl];
  return [...new Set([hostname, ...LOOPBACK])].map((name) => baseUrl.replace(hostname, name));
}

type Asked = { headers: { host?: string | undefined; 'x-forwarded-host'?: unknown } };

/** The platform address a request was sent to; the configured one for any other Host. */
export function addressAsked(app: App, { headers }: Asked): string {
  // Set by the gateway for a remote auth center.
  const host = headers['x-forwarded-host'] ?? headers.host;
  const asked = addressesOf(app).find((address) => new URL(address).host === host);
  return asked ?? app.config.baseUrl;
}

/** The resource URI of an audience, without a trailing slash; tokens carry the configured address. */
export const resourceOf = (
  app: App,
  audience: Audience,
  address: string = app.config.baseUrl,
): string => address + PATH[audience];

/** URL of a resource's metadata (RFC 9728 3.1). */
export const metadataUrlOf = (audience: Audience, address: string): string =>
  `${address}/.well-known/oauth-protected-resource${PATH[audience]}`;

/** Accepted spellings of a resource: under every address, with and without a trailing slash. */
export const spellingsOf = (app: App, audience: Audience): readonly string[] =>
  addressesOf(app)
    .map((address) => resourceOf(app, audience, address))
    .flatMap((resource) => [resource, `${resource}/`]);

/**
 * The one audience that all these resources name, `mcp` for none; undefined if there is no such one. A query at the end names no other resource: clients add where they come from.
 */
export const audienceOf = (app: App, resources: readonly string[]): Audience | undefined =>
  AUDIENCES.find((audience) => {
    const spellings = spellingsOf(app, audience);
    return resources.every((resource) => spellings.includes(withoutQuery(resource)));
  });

const withoutQuery = (resource: string): string =>
  resource.length > MAX_RESOURCE ? resource : resource.replace(/\?[^#]*$/, '');
