import { createHmac, timingSafeEqual } from 'node:crypto';

import type { App, Caller } from '../../kernel/app/app.ts';
import type { Cookies } from '../../kernel/app/route.ts';
import type { Config } from '../../kernel/process/config.ts';
import { cookieKey } from '../token/signing-key.ts';
import { signToken, TOKEN_LIFE_MS, type TokenClaims, verifyToken } from '../token/token.ts';
import { authenticateToken } from './login.ts';

/** The salt of all tokens in cookies: nothing has to be asked before a login. */
const SALT = 'svc-console-session';

const isSecure = ({ baseUrl }: Pick<Config, 'baseUrl'>): boolean => baseUrl.startsWith('https:');

/** Name of the cookie; its prefix on https keeps other hosts of a domain from setting it (RFC 6265bis 4.1.3.2). */
export const sessionCookie = (config: Pick<Config, 'baseUrl'>): string =>
  isSecure(config) ? '__Host-svc_console' : 'svc_console';

/** Gives the browser a new login token; returns it. No script can read the cookie, no other site send it. */
export function setSession(app: App, cookies: Cookies, subject: Subject): string {
  const token = signToken(app, SALT, subject);
  set(app, cookies, token, TOKEN_LIFE_MS / 1_000);
  return token;
}

type Subject = Parameters<typeof signToken>[2];

/** Takes the cookie away. */
export const clearSession = (app: App, cookies: Cookies): void => set(app, cookies, '', 0);

function set({ config }: App, cookies: Cookies, value: string, seconds: number): void {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  const secure = isSecure(config) ? '; Secure' : '';
  cookies.set(`${sessionCookie(config)}=${value}; ${flags}${secure}`);
}

/** The person behind the token of a cookie; throws NotAuthenticated (401). */
export const authenticateSession = (app: App, token: string): Promise<Caller> =>
  authenticateToken(app, { salt: SALT, token });

/** What the token of a cookie says; throws NotAuthenticated (401). */
export const sessionClaims = (app: App, token: string): TokenClaims =>
  verifyToken(app, SALT, token);

/** What pages of the platform send beside the cookie: other sites cannot read it, and it is no credential. */
export const proofOf = (app: App, token: string): string =>
  createHmac('sha256', cookieKey(app)).update(`console ${token}`).digest('base64url');

/** Whether `given` is the proof of the token; compares in constant time. */
export function isProof(app: App, token: string, given: string): boolean {
  const expected = Buffer.from(proofOf(app, token));
  const said = Buffer.from(given);
  return said.length === expected.length && timingSafeEqual(said, expected);
}
