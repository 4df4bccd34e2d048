import { createHmac, randomBytes } from 'node:crypto';

import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';

import type { App, Caller } from '../../../app.ts';
import { permissionsOf } from '../../rights/permission.ts';
import { accountIdOf, findAccount } from '../account.ts';
import { addressAsked } from '../audience.ts';
import { LIFETIME } from '../lifetime.ts';
import { cookieAttributes, providerOf } from '../provider.ts';
import { cookieKey } from '../signing-key.ts';

/**
 * The person that logged in on the login page with this browser, while the login lasts and the account is active; null
 * without one. Only for pages that show: a cookie comes with every request of the browser.
 */
export async function personHere(
  app: App,
  request: Request,
  response: Response,
): Promise<Caller | null> {
  const { session } = await sessionOf(app, request, response);
  if (session.accountId === undefined) return null;
  const issuedMs = Math.round((session.loginTs ?? 0) * 1_000);
  const account = await findAccount(app, session.accountId, { issuedMs });
  if (!account) return null;
  const { tenantId, principalId, loginName } = account;
  const { codes, timezone, version } = await permissionsOf(app, tenantId, principalId);
  return {
    tenantId,
    principalId,
    principalType: 'USER',
    name: loginName,
    via: 'login',
    permissions: codes,
    timezone,
    ...(version !== undefined && { version }),
  };
}

/** A cookie of a login form, and its name; a form with the proof of it was sent by a page that this browser opened. */
const formCookie = (app: App) => (cookieAttributes(app).secure ? '__Host-svc_form' : 'svc_form');

/** The proof for a form of this browser; `fresh` gives the browser another one. */
export async function proofHere(
  app: App,
  request: Request,
  response: Response,
  { fresh }: { fresh: boolean },
): Promise<string | null> {
  const { context } = await sessionOf(app, request, response);
  if (fresh) {
    const given = randomBytes(24).toString('base64url');
    context.cookies.set(formCookie(app), given, cookieAttributes(app));
    return proofOf(app, given);
  }
  const given = context.cookies.get(formCookie(app), { signed: true });
  return given === undefined ? null : proofOf(app, given);
}

const proofOf = (app: App, given: string): string =>
  createHmac('sha256', cookieKey(app)).update(`login ${given}`).digest('base64url');

type LoggedIn = { tenantId: string; principalId: string; issuedMs: number };

/** Begins a new session of this browser; one that it had before ends. */
export async function beginSession(
  app: App,
  person: LoggedIn,
  request: Request,
  response: Response,
): Promise<void> {
  const { provider, context, session: before } = await sessionOf(app, request, response);
  if (before.accountId !== undefined) await before.destroy();
  const session = new provider.Session();
  session.loginAccount({
    accountId: accountIdOf(person),
    loginTs: person.issuedMs / 1_000,
    transient: true,
  });
  await session.save(LIFETIME.Session);
  context.cookies.set(provider.cookieName('session'), session.jti, cookieAttributes(app));
}

async function sessionOf(app: App, request: Request, response: Response) {
  const address = addressAsked(app, request);
  const provider: Provider = await providerOf(app, address);
  // Behind a proxy that ends TLS, the cookie is set for the public address.
  request.headers['x-forwarded-proto'] = new URL(address).protocol.slice(0, -1);
  const context = provider.createContext(request, response);
  return { provider, context, session: await provider.Session.get(context) };
}
