import type { App, Scope } from '../../app.ts';
import { audienceOf, SCOPES_OF, spellingsOf } from './audience.ts';
import { DEFAULT_SCOPE, isScope } from './scope.ts';

/** How codes and errors reach the client. */
export const RESPONSE_MODE = 'query';

/** Asked for out of habit by clients that also speak OpenID Connect; a refresh token needs no scope here. */
const HABITS = ['openid', 'offline_access', 'profile', 'email'];

/**
 * The authorization request as the library wants it: a scope where none was asked for, and the one
 * resource asked for in all its spellings, so that a client may name it differently at the token
 * endpoint; MCP where none was named. What is wrong in it stays as it is, for the library to refuse.
 */
export function completeRequest(app: App, url: string): string {
  const { pathname, searchParams } = new URL(url, app.config.baseUrl);
  const audience = audienceOf(app, searchParams.getAll('resource'));
  if (audience) {
    searchParams.delete('resource');
    for (const spelling of spellingsOf(app, audience)) searchParams.append('resource', spelling);
  }
  // The library would answer in a fragment, or in a form that sends itself by a script.
  const mode = searchParams.get('response_mode') ?? RESPONSE_MODE;
  if (mode !== RESPONSE_MODE) searchParams.set('response_mode', 'not_supported');
  const [scope = '', ...more] = searchParams.getAll('scope');
  if (more.length === 0) {
    const asked = scope.split(' ').filter((item) => item !== '' && !HABITS.includes(item));
    const kept = audience ? useful(asked, SCOPES_OF[audience]) : asked;
    searchParams.set('scope', kept.join(' ') || DEFAULT_SCOPE);
    // Of use only with an id token, which nobody gets here.
    if (scope.split(' ').includes('openid')) searchParams.delete('nonce');
  }
  return `${pathname}?${searchParams.toString()}`;
}

/**
 * What was asked for without the scopes that open nothing at the resource: a client may ask for all there
 * are, and hears what it got (RFC 6749 3.3). Where nothing would be left all stay, to be refused.
 */
export function useful(asked: readonly string[], opening: readonly Scope[]): readonly string[] {
  const kept = asked.filter((item) => !isScope(item) || opening.includes(item));
  return kept.length > 0 ? kept : asked;
}
