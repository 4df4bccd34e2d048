import { z } from 'zod';

const MAX_URIS = 64;
/** Loopback hosts, as a URL spells them. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the URI points to a program on the user's own computer (RFC 8252 7.3). */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.includes(new URL(uri).hostname);
}

/** Host, port, path and query that every URL parser reads alike; no user, no fragment. */
const SHAPE = /^https?:\/\/(\[::1\]|[\w.-]+)(:\d{1,5})?([/?][!$-;=?-[\]\w~]*)?$/i;

function isAllowed(uri: string): boolean {
  if (!SHAPE.test(uri) || !URL.canParse(uri)) return false;
  return isLoopback(uri) || new URL(uri).protocol === 'https:';
}

/** A redirect URI: HTTPS, or HTTP on loopback; compared as text later (OAuth 2.1, 2.3.1). */
const RedirectUri = z
  .string()
  .max(2_048)
  .refine(isAllowed, 'must be https, or http on loopback, without user and fragment');

export const RedirectUris = z.array(RedirectUri).min(1).max(MAX_URIS);

/**
 * Those of a client's own list to which codes may go; the others, as the address of an app (`cursor://`), are left out,
 * which a server may do (RFC 7591 3.2.1). Refused where none is left.
 */
export const TakenRedirectUris = z
  .array(z.string())
  .min(1)
  .max(MAX_URIS)
  .transform((uris, context) => {
    const results = uris.map((uri) => RedirectUri.safeParse(uri));
    const taken = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
    if (taken.length > 0) return taken;
    const [issue] = results[0]?.error?.issues ?? [];
    context.addIssue({ code: 'custom', path: [0], message: issue?.message ?? 'is none' });
    return z.NEVER;
  });

/**
 * Only a native client may use any loopback port (RFC 8252 7.3), and none may have https on loopback: with one such
 * URI every other counts as it was registered.
 */
export const applicationType = (uris: readonly string[]): 'native' | 'web' => {
  const local = uris.filter(isLoopback);
  return local.length > 0 && local.every((uri) => uri.startsWith('http:')) ? 'native' : 'web';
};
