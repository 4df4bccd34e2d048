import { z } from 'zod';

import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid, Done } from '../../kernel/entity/answer.ts';
import { Forbidden, NotAuthenticated } from '../../kernel/errors.ts';
import { secret } from '../../kernel/input/secret.ts';
import * as password from './change-password.ts';
import * as login from './login.ts';
import * as salt from './salt.ts';
import * as session from './session.ts';
import * as tokenCookie from './token-cookie.ts';

/** Below the prefix of the center: identified by the cookie alone, as its answer has the proof that others need. */
export const CURRENT_PATH = '/session/current';

const CheckToken = salt.AskSalt.extend({
  token: secret(z.string().max(4_096)).meta({
    examples: ['eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI3MzEyIn0.c2lnbmF0dXJl'],
  }),
  salt: z.string().max(256).default(''),
});

/** Whether a login token is still valid; always false for one of another tenant. */
async function checkToken(
  app: App,
  caller: Caller,
  { tenant, name, ...token }: z.output<typeof CheckToken>,
): Promise<boolean> {
  try {
    const owner = await login.authenticateLogin(app, { tenant, login: name, token });
    return owner.tenantId === caller.tenantId;
  } catch (error) {
    if (error instanceof NotAuthenticated) return false;
    throw error;
  }
}

const ExternalLogin = z.unknown();

/** Only local credentials work (docs/specification/login.md 7): always Forbidden (403), for any input. */
const externalLogin: Operation<unknown, never> = async () => {
  throw new Forbidden('Login through an external identity provider is not enabled');
};

/**
 * Logging in and out, in a browser too, and changing a password (docs/specification/login.md). Existing clients repeat
 * the identity of the caller in the body of a token's endpoints, which is ignored.
 */
export const routes: readonly Route[] = [
  post(
    '/token/salt',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'read',
      summary: 'A salt for a login',
      input: salt.AskSalt,
      output: AnswerUuid,
    },
    salt.salt,
  ),
  post(
    '/token/generate',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Log in: a token of 12 hours, in a cookie as well',
      input: login.AskToken,
      output: z.string().describe('A signed token'),
    },
    tokenCookie.generateWithCookie,
  ),
  post(
    '/token/change_password',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Replace the password and end earlier logins',
      input: password.ChangePassword,
      output: Done,
    },
    password.changePassword,
  ),
  post(
    '/token/external',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Log in through an identity provider; not enabled',
      reason: 'docs/specification/login.md 7: answers that it is not enabled',
      input: ExternalLogin,
      output: z.void(),
    },
    externalLogin,
  ),
  post(
    '/token/cancel',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Log out: end every token of the caller in this tenant',
      input: z.unknown(),
      output: Done,
    },
    tokenCookie.cancelWithCookie,
  ),
  post(
    '/token/check',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'read',
      summary: 'Whether a login token still works',
      input: CheckToken,
      output: z.boolean(),
    },
    checkToken,
  ),
  post(
    '/session/begin',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Log in with a browser: the token goes into a cookie',
      reason: 'docs/specification/login.md, Sessions of browsers',
      input: session.BeginSession,
      output: session.BrowserSession,
    },
    session.begin,
  ),
  get(
    CURRENT_PATH,
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'read',
      summary: 'The session of this browser, with the proof that its pages send',
      reason: 'docs/specification/login.md, Sessions of browsers',
      input: z.unknown(),
      output: session.BrowserSession,
    },
    session.current,
  ),
  post(
    '/session/end',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Log out: end every session and token of the caller in this tenant',
      reason: 'docs/specification/login.md, Sessions of browsers',
      input: z.unknown(),
      output: Done,
    },
    session.end,
  ),
];
