import { z } from 'zod';

import { post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid, Done } from '../../kernel/entity/answer.ts';
import * as password from './change-password.ts';
import * as external from './external-login.ts';
import * as login from './login.ts';
import * as salt from './salt.ts';

/** Logging in and changing a password (docs/specification/login.md): open to everybody. */
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
      summary: 'Log in: a token of 12 hours',
      input: login.AskToken,
      output: z.string().describe('A signed token'),
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
      input: external.ExternalLogin,
      output: z.void(),
    },
    external.externalLogin,
  ),
];
