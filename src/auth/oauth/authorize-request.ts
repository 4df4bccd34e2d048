import type { App, Scope } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { SourceLimit } from '../login/window.ts';
import { audienceOf, SCOPES_OF, spellingsOf } from '../permission/audience.ts';
import { DEFAULT_SCOPE, isScope, SCOPES } from '../permission/scope.ts';

/** Codes and errors return to the client in the query string. */
export const RESPONSE_MODE = 'query';

/** More of them than a client has reason to name. */
const MAX_RESOURCES = 8;

/** Scopes that OpenID Connect clients request by default; dropped, a refresh token needs no scope here. */
const HABITS = ['openid', 'offline_access', 'profile', 'email'];

/** Authorization requests within a minute; each is stored for the ten minutes that its user has. */
const MOST = { source: 300, all: 1_500, free: 5 };
const VISIT_LIMIT = slot((clock) => new SourceLimit(clock, MOST));

/** Counts an authorization request of anybody; throws TooManyRequests above the limit. */
export function countVisit(app: App, source: string): void {
  const waitSeconds = app.of(VISIT_LIMIT).take(source);
  if (waitSeconds > 0) throw new TooManyRequests('Too many authorization requests', waitSeconds);
}

/**
 * The authorization request as the library expects it: with a default scope, and with the requested
 * resource in all its spellings, so that a client may spell it differently at the token endpoint; MCP when
 * none is given. Invalid parts are kept for the library to refuse.
 */
export function completeRequest(app: App, url: string): string {
  const { pathname, searchParams } = new URL(url, app.config.baseUrl);
  // Other modes are refused: the library would answer in a fragment or a self-submitting form.
  const mode = searchParams.get('response_mode') ?? RESPONSE_MODE;
  if (mode !== RESPONSE_MODE) searchParams.set('response_mode', 'not_supported');
  return `${pathname}?${complete(app, searchParams).toString()}`;
}

/** The same of a program without a browser (RFC 8628 3.1), which sends a form. */
export const completeDeviceRequest = (app: App, form: Buffer): Buffer =>
  Buffer.from(complete(app, new URLSearchParams(form.toString())).toString());

function complete(app: App, params: URLSearchParams): URLSearchParams {
  const named = params.getAll('resource').slice(0, MAX_RESOURCES);
  const audience = audienceOf(app, named);
  if (audience) {
    params.delete('resource');
    // As the client spells it too: it does so again at the token endpoint.
    for (const spelling of new Set([...spellingsOf(app, audience), ...named]))
      params.append('resource', spelling);
  }
  const [scope = '', ...more] = params.getAll('scope');
  if (more.length === 0) {
    const asked = scope.split(' ').filter((item) => item !== '' && !HABITS.includes(item));
    const kept = audience ? useful(asked, SCOPES_OF[audience]) : asked;
    params.set('scope', kept.join(' ') || DEFAULT_SCOPE);
    // Only an ID token uses it, and none is issued.
    if (scope.split(' ').includes('openid')) params.delete('nonce');
  }
  return params;
}

/**
 * Drops scopes that are unknown or without an effect at the resource: a client may request all scopes of all its
 * servers, the answer lists the granted ones (RFC 6749 3.3). Returns all of them, to be refused, when none would be
 * left.
 */
export function useful(asked: readonly string[], opening: readonly Scope[]): readonly string[] {
  const kept = asked.filter((item) => isScope(item) && opening.includes(item));
  return kept.length > 0 ? kept : asked;
}

/**
 * A refresh as the library expects it: without scopes that are unknown, which clients repeat from their first request.
 * Known ones beyond the grant are kept for the library to refuse (RFC 6749 6). Any other form stays as it is.
 */
export function completeRefresh(form: Buffer): Buffer {
  const fields = new URLSearchParams(form.toString());
  const [scope, ...more] = fields.getAll('scope');
  if (fields.get('grant_type') !== 'refresh_token' || scope === undefined || more.length > 0)
    return form;
  fields.set('scope', useful(scope.split(' '), SCOPES).join(' '));
  return Buffer.from(fields.toString());
}
