import { z } from 'zod';

import { post, type Route } from '../../kernel/app/route.ts';
import * as deadLetter from './dead-letter.ts';

/** Endpoints for dead letters, for people of the platform tenant. */
export const routes: readonly Route[] = [
  post(
    '/dead_letter/list',
    {
      needs: 'dead_letter:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Answers the messages that no consumer could take, oldest first',
      reason: 'Operation: what no consumer could take',
      input: deadLetter.DeadQuery,
      output: deadLetter.DeadPage,
    },
    deadLetter.list,
  ),
  post(
    '/dead_letter/replay',
    {
      needs: 'dead_letter:replay',
      scope: 'interactive',
      risk: 'update',
      summary: 'Puts dead letters back into their queues; answers how many',
      reason: 'Operation: puts it back into its queue',
      input: deadLetter.WhichDead,
      output: z.number().int(),
    },
    deadLetter.replay,
  ),
  post(
    '/dead_letter/drop',
    {
      needs: 'dead_letter:drop',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Removes dead letters for good; answers how many',
      reason: 'Operation: removes it',
      input: deadLetter.WhichDead,
      output: z.number().int(),
    },
    deadLetter.drop,
  ),
];
