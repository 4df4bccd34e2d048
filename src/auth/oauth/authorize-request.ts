import type { App } from '../../app.ts';
import { DEFAULT_SCOPE, spellingsOf } from './scope.ts';

/** How codes and errors reach the client. */
export const RESPONSE_MODE = 'query';

/** Asked for out of habit by clients that also speak OpenID Connect; a refresh token needs no scope here. */
const HABITS = ['openid', 'offline_access', 'profile', 'email'];

/**
 * The authorization request as the library wants it: a scope where none was asked for, and our one
 * resource in both spellings, so that a client may name it differently at the token endpoint. What is
 * wrong in it stays as it is, for the library to refuse.
 */
export function completeRequest(app: App, url: string): string {
  const { pathname, searchParams } = new URL(url, app.config.baseUrl);
  const spellings = spellingsOf(app);
  if (searchParams.getAll('resource').every((resource) => spellings.includes(resource))) {
    searchParams.delete('resource');
    for (const spelling of spellings) searchParams.append('resource', spelling);
  }
  // The library would answer in a fragment, or in a form that sends itself by a script.
  const mode = searchParams.get('response_mode') ?? RESPONSE_MODE;
  if (mode !== RESPONSE_MODE) searchParams.set('response_mode', 'not_supported');
  const [scope = '', ...more] = searchParams.getAll('scope');
  if (more.length === 0) {
    const asked = scope.split(' ').filter((item) => item !== '' && !HABITS.includes(item));
    searchParams.set('scope', asked.join(' ') || DEFAULT_SCOPE);
    // Of use only with an id token, which nobody gets here.
    if (scope.split(' ').includes('openid')) searchParams.delete('nonce');
  }
  return `${pathname}?${searchParams.toString()}`;
}
