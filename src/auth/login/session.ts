import { createHmac, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import type { Cookies } from '../../kernel/app/route.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import type { Config } from '../../kernel/process/config.ts';
import { cancel } from '../credential/denylist.ts';
import { cookieKey } from '../credential/signing-key.ts';
import { signToken, TOKEN_LIFE_MS, type TokenClaims, verifyToken } from '../credential/token.ts';
import { authenticateToken, checkPassword, Password } from './login.ts';
import { AskSalt } from './salt.ts';

/** The salt of all tokens in cookies: nothing has to be asked before a login. */
const SALT = 'svc-console-session';

export const BeginSession = AskSalt.extend({ password: Password });

/** The session of a browser: the person, the tenant, and what the pages have to send. */
export const BrowserSession = z
  .object({
    person: z.object({
      principalId: AnswerId,
      loginName: z.string().meta({ examples: ['anna.weber'] }),
      displayName: z.string().meta({ examples: ['Anna Weber'] }),
    }),
    tenant: z.object({
      tenantId: AnswerId,
      tenantCode: z.string().meta({ examples: ['plant-north'] }),
      tenantName: z.string().meta({ examples: ['Plant north'] }),
      timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
    }),
    permissions: z
      .array(z.string())
      .describe('Permission codes; `*` alone is all of the tenant')
      .meta({ examples: [['svc-center-manager:device:list']] }),
    proof: z
      .string()
      .nullable()
      .describe('For the header X-Svc-Proof, which every other call has to carry beside the cookie')
      .meta({ examples: ['0n3hV0m4m1Zq'] }),
    expiresAt: z.nullable(IsoTime),
  })
  .meta({ id: 'BrowserSession' });
type BrowserSession = z.output<typeof BrowserSession>;

/**
 * Logs a person in and keeps the login token in a cookie that no script can read; throws as `checkPassword` does, and
 * sets no cookie then.
 */
export async function begin(
  app: App,
  caller: Caller,
  input: z.output<typeof BeginSession>,
  cookies: Cookies,
): Promise<BrowserSession> {
  const passed = await checkPassword(app, caller, { ...input, salt: null });
  const token = setSession(app, cookies, passed);
  return described(app, await authenticateSession(app, token), token);
}

/** The session of the caller; without a cookie of it there is no proof. */
export async function current(
  app: App,
  caller: Caller,
  _input: unknown,
  cookies: Cookies,
): Promise<BrowserSession> {
  return described(app, caller, cookies.read(sessionCookie(app.config)));
}

/** Ends every session and token of the person in this tenant, as /token/cancel, and takes the cookie away. */
export async function end(
  app: App,
  caller: Caller,
  _input: unknown,
  cookies: Cookies,
): Promise<true> {
  await cancel(app, caller);
  clearSession(app, cookies);
  return true;
}

async function described(app: App, caller: Caller, token: string | null): Promise<BrowserSession> {
  const { tenantId, principalId, name, permissions } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_tenant')
      .innerJoin('svc_principal', (join) => join.on('svc_principal.id', '=', principalId))
      .select(['tenantCode', 'tenantName', 'timezone', 'displayName'])
      .where('svc_tenant.id', '=', tenantId)
      .executeTakeFirst(),
  );
  if (!row) throw new NotAuthenticated();
  const { displayName, ...tenant } = row;
  const endsMs = token === null ? null : endOf(app, caller, token);
  return {
    person: { principalId, loginName: name, displayName },
    tenant: { tenantId, ...tenant },
    permissions: [...permissions].toSorted(),
    proof: token === null || endsMs === null ? null : proofOf(app, token),
    expiresAt: endsMs === null ? null : new Date(endsMs).toISOString(),
  };
}

/** When the token of a cookie ends, in ms since the epoch; null where it is of somebody else or of no use. */
function endOf(app: App, { tenantId, principalId }: Caller, token: string): number | null {
  try {
    const claims = sessionClaims(app, token);
    const isOwn = claims.tenantId === tenantId && claims.principalId === principalId;
    return isOwn ? claims.endsMs : null;
  } catch (error) {
    if (error instanceof NotAuthenticated) return null;
    throw error;
  }
}

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

/** Name of the cookie. */
export const sessionCookie = (config: Pick<Config, 'baseUrl'>): string =>
  cookieNamed(config, 'svc_console');

/** Gives the browser a new login token; returns it. */
function setSession(app: App, cookies: Cookies, subject: Subject): string {
  const token = signToken(app, SALT, subject);
  set(app, cookies, token, TOKEN_LIFE_MS);
  return token;
}

type Subject = Parameters<typeof signToken>[2];

/** Takes the cookie away. */
const clearSession = (app: App, cookies: Cookies): void => set(app, cookies, '', 0);

const set = ({ config }: App, cookies: Cookies, value: string, lifeMs: number): void =>
  setCookie(config, cookies, { name: sessionCookie(config), value, lifeMs });

/** The person behind the token of a cookie; throws NotAuthenticated (401). */
export const authenticateSession = (app: App, token: string): Promise<Caller> =>
  authenticateToken(app, { salt: SALT, token });

/** What the token of a cookie says; throws NotAuthenticated (401). */
const sessionClaims = (app: App, token: string): TokenClaims => verifyToken(app, SALT, token);

/** What pages of the platform send beside the cookie: other sites cannot read it, and it is no credential. */
const proofOf = (app: App, token: string): string =>
  createHmac('sha256', cookieKey(app)).update(`console ${token}`).digest('base64url');

/** Whether `given` is the proof of the token; compares in constant time. */
export function isProof(app: App, token: string, given: string): boolean {
  const expected = Buffer.from(proofOf(app, token));
  const said = Buffer.from(given);
  return said.length === expected.length && timingSafeEqual(said, expected);
}
