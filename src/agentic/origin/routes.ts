import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import * as origin from './origin.ts';

/** Web pages elsewhere that may chat. */
export const routes: readonly Route[] = [
  get(
    '/origin/get',
    {
      needs: 'provider:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Origins of web pages that may call the chat of the tenant from a browser',
      reason: 'docs/specification/assistant.md, Web pages elsewhere',
      input: z.unknown(),
      output: origin.ChatOrigins,
    },
    origin.get,
  ),
  post(
    '/origin/set',
    {
      needs: 'provider:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Replace the origins of web pages that may call the chat; interactive login only',
      reason: 'docs/specification/assistant.md, Web pages elsewhere',
      input: origin.SetOrigins,
      output: origin.ChatOrigins,
    },
    origin.set,
  ),
];
