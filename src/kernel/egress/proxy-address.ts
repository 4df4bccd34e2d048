import type { HttpProxy } from './tunnel.ts';

/** An HTTP proxy as it is given: `http://user:password@host:port`, without a login where it wants none; null: it is none. */
export function proxyIn(text: string): HttpProxy | null {
  const url = URL.parse(text);
  const login = url && loginIn(url);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash;
  return isPlain && typeof login === 'string' ? { url: url.origin, login } : null;
}

/** RFC 7617, 2: a user name has no colon, and neither part a control character. Null: it is no login. */
function loginIn({ username, password }: URL): string | null {
  if (username === '' && password === '') return '';
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user === '' || user.includes(':') || /\p{Cc}/u.test(user + secret)
      ? null
      : `${user}:${secret}`;
  } catch {
    return null;
  }
}

export const PROXY_FORM =
  'must be http://host:port or http://user:password@host:port, without a path';
