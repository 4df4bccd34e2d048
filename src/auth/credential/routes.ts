import { z } from 'zod';

import { post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import * as key from './key.ts';

/** Keys for programs: users manage their own; keys of others need permissions over their owners. */
export const routes: readonly Route[] = [
  post(
    '/key/add',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Make a key for a program: for one audience, with scopes and an end; shown once',
      reason: 'docs/specification/authorization.md, Keys',
      input: key.AddKey,
      output: key.NewKey,
    },
    key.add,
  ),
  post(
    '/key/list',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'read',
      summary: 'Own keys, or those of the tenant, without their texts',
      reason: 'docs/specification/authorization.md, Keys',
      input: key.ListKeys,
      output: z.array(key.Key.schema),
    },
    key.list,
  ),
  post(
    '/key/revoke',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'remove',
      summary: 'End a key at once, everywhere',
      reason: 'docs/specification/authorization.md, Keys',
      input: ById,
      output: Done,
    },
    key.revoke,
  ),
];
