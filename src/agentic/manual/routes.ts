import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { pageOfAnswers } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import * as manual from './manual.ts';
import { FoundPage, search, SearchManuals } from './search.ts';

const reason = 'docs/specification/manuals.md';
const reads = { needs: 'manual:list', scope: 'svc:read', risk: 'read', reason } as const;

/** Documents of devices, of profiles and of the tenant. */
export const routes: readonly Route[] = [
  {
    ...post(
      '/manual/upload',
      {
        needs: 'manual:add',
        scope: 'interactive',
        risk: 'add',
        summary:
          'Store the pages of a document of a device, of a profile or of the tenant: multipart/form-data, part `file`, 10 MB',
        reason,
        input: manual.UploadManual,
        output: manual.Manual.schema,
      },
      manual.upload,
    ),
    file: manual.MAX_MANUAL_BYTES,
  },
  post(
    '/manual/list',
    {
      ...reads,
      summary:
        'Answers manuals, newest first; of a device with those of its profile and the tenant',
      input: manual.ManualQuery,
      output: pageOfAnswers(manual.Manual.schema),
    },
    manual.page,
  ),
  get(
    '/manual/get_by_id',
    { ...reads, summary: 'Answers one manual', input: ById, output: manual.Manual.schema },
    manual.byId,
  ),
  get(
    '/manual/get_page',
    {
      ...reads,
      summary: 'Answers the text of a page of a manual',
      input: manual.PageQuery,
      output: manual.ManualPage,
    },
    manual.pageText,
  ),
  post(
    '/manual/search',
    {
      ...reads,
      summary:
        'Answers the pages of manuals that have the most and rarest of the words, best first',
      input: SearchManuals,
      output: z.array(FoundPage),
    },
    search,
  ),
  post(
    '/manual/delete',
    {
      needs: 'manual:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Deletes a manual with its pages',
      reason,
      input: ById,
      output: z.void(),
    },
    manual.remove,
  ),
];
