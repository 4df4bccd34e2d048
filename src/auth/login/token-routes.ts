import { z } from 'zod';

import { post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import * as denylist from '../token/denylist.ts';
import * as check from './check-token.ts';

/** Login tokens; existing clients repeat the identity of the caller in the body, which is ignored. */
export const routes: readonly Route[] = [
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
      output: z.boolean(),
    },
    check.checkToken,
  ),
];
