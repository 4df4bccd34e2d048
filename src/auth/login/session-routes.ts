import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import * as session from './session.ts';

/** Below the prefix of the center: identified by the cookie alone, as its answer has the proof that others need. */
export const CURRENT_PATH = '/session/current';

/** Sessions of browsers: a login in a cookie. */
export const routes: readonly Route[] = [
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
