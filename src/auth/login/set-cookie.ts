import type { Cookies } from '../../kernel/app/route.ts';
import type { Config } from '../../kernel/process/config.ts';

type At = Pick<Config, 'baseUrl'>;

const isSecure = ({ baseUrl }: At): boolean => baseUrl.startsWith('https:');

/** The name with, on https, the prefix that keeps other hosts of a domain from setting it (RFC 6265bis 4.1.3.2). */
export const cookieNamed = (config: At, name: string): string =>
  isSecure(config) ? `__Host-${name}` : name;

/** Sets a cookie that no script can read and no other site sends; a life of 0 takes it away. */
export function setCookie(
  config: At,
  cookies: Cookies,
  { name, value, lifeMs }: { name: string; value: string; lifeMs: number },
): void {
  const flags = `Path=/; Max-Age=${lifeMs / 1_000}; HttpOnly; SameSite=Strict`;
  cookies.set(`${name}=${value}; ${flags}${isSecure(config) ? '; Secure' : ''}`);
}
