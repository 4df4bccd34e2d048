import { z } from 'zod';

import { post, type Route } from '../route.ts';
import { mcp } from './connection/routes.ts';
import { keys } from './key/routes.ts';
import * as password from './login/change-password.ts';
import * as external from './login/external-login.ts';
import * as login from './login/login.ts';
import * as salt from './login/salt.ts';
import { routes as people } from './people/routes.ts';
import { rights } from './rights/routes.ts';
import { platform } from './routes/platform.ts';
import * as check from './token/check-token.ts';
import * as denylist from './token/denylist.ts';

/** Bodies in which existing clients repeat the caller's identity; ignored. */
const Ignored = z.unknown();

/** The endpoint table of the auth center, below `/api/v3/auth`. */
export const routes: readonly Route[] = [
  post(
    '/token/salt',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'read',
      summary: 'A salt for a login',
      input: salt.AskSalt,
    },
    salt.salt,
  ),
  post(
    '/token/generate',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Log in: a token of 12 hours',
      input: login.AskToken,
    },
    login.generate,
  ),
  post(
    '/token/change_password',
    {
      needs: 'public',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Replace the password and end earlier logins',
      input: password.ChangePassword,
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
      input: external.ExternalLogin,
    },
    external.externalLogin,
  ),
  post(
    '/token/cancel',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Log out: end every token of the caller in this tenant',
      input: Ignored,
    },
    denylist.cancel,
  ),
  post(
    '/token/check',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'read',
      summary: 'Whether a login token still works',
      input: check.CheckToken,
    },
    check.checkToken,
  ),
  ...platform,
  ...people,
  ...rights,
  ...keys,
  ...mcp,
];
