import { Pieces, post, type Route } from '../../kernel/app/route.ts';
import * as change from './change.ts';

/** The change log. */
export const routes: readonly Route[] = [
  post(
    '/change/list',
    {
      needs: 'change:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what was configured, proposed, decided and written, newest first',
      reason: 'Who changed what: configuration, decisions and writes in one list',
      input: change.ChangeQuery,
      output: change.ChangePage,
    },
    change.list,
  ),
  {
    ...post(
      '/change/export',
      {
        needs: 'change:list',
        scope: 'interactive',
        risk: 'read',
        summary: 'Answers the same as a table (text/csv), of at most 366 days',
        reason: 'docs/specification/change-log.md',
        input: change.ChangeExport,
        output: Pieces,
      },
      change.exportChanges,
    ),
    csv: 'stream',
  },
];
