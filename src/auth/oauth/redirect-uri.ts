import { z } from 'zod';

const MAX_URIS = 10;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the address leads to a program on the user's own computer (RFC 8252 7.3). */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.includes(new URL(uri).hostname);
}

/** Where codes may be sent: HTTPS, or HTTP on loopback; compared as text later (OAuth 2.1, 2.3.1). */
const RedirectUri = z
  .string()
  .max(2_048)
  // Whatever parsers disagree about stays out: spaces, backslashes, controls, other scripts.
  .regex(/^[!#-;=?-[\]_a-z~]+$/, 'must be a plain URI')
  .refine((uri) => URL.canParse(uri), 'must be an absolute URI')
  .refine((uri) => !uri.includes('#'), 'must not contain a fragment')
  .refine((uri) => new URL(uri).host !== '' && !/^[a-z]+:\/\/[^/?]*@/i.test(uri), {
    message: 'must name a host and no user',
  })
  .refine((uri) => {
    const { protocol } = new URL(uri);
    return isLoopback(uri) ? protocol === 'http:' : protocol === 'https:';
  }, 'must be https, or http on loopback');

export const RedirectUris = z.array(RedirectUri).min(1).max(MAX_URIS);

/** Only a native client may come back on any loopback port (RFC 8252 7.3). */
export const applicationType = (uris: readonly string[]): 'native' | 'web' =>
  uris.some(isLoopback) ? 'native' : 'web';
