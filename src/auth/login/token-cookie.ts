import type { App, Caller } from '../../kernel/app/app.ts';
import type { Cookies } from '../../kernel/app/route.ts';
import type { Config } from '../../kernel/process/config.ts';
import { cancel } from '../credential/denylist.ts';
import { TOKEN_LIFE_MS } from '../credential/token.ts';
import { type AskedToken, generate, type LoginHeaders } from './login.ts';
import { cookieNamed, setCookie } from './session.ts';

/** Name of the cookie that a login of a program leaves in a browser. */
export const tokenCookie = (config: Pick<Config, 'baseUrl'>): string =>
  cookieNamed(config, 'svc_token');

/**
 * As `generate`, and keeps salt and token in a cookie beside the answer: web clients that store no credential send it in
 * place of X-Auth-Token (docs/specification/login.md, Login of web clients).
 */
export async function generateWithCookie(
  app: App,
  caller: Caller,
  input: AskedToken,
  cookies: Cookies,
): Promise<string> {
  const token = await generate(app, caller, input);
  const value = `${Buffer.from(input.salt).toString('base64url')}.${token}`;
  setCookie(app.config, cookies, { name: tokenCookie(app.config), value, lifeMs: TOKEN_LIFE_MS });
  return token;
}

/** Logout: ends every token of the caller in this tenant, and takes the cookie away. */
export async function cancelWithCookie(
  app: App,
  caller: Caller,
  _input: unknown,
  cookies: Cookies,
): Promise<true> {
  await cancel(app, caller);
  setCookie(app.config, cookies, { name: tokenCookie(app.config), value: '', lifeMs: 0 });
  return true;
}

/** Salt and token in the value of the cookie. */
export function tokenInCookie(value: string): LoginHeaders['token'] {
  const [salt = '', ...token] = value.split('.');
  return { salt: Buffer.from(salt, 'base64url').toString(), token: token.join('.') };
}
