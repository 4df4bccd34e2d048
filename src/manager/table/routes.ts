import { z } from 'zod';

import { get, post, type Route } from '../../route.ts';
import { OfTable } from './columns.ts';
import { GivenTable, Preview, preview } from './preview.ts';
import { template } from './template.ts';

/** Devices as tables: template, preview. */
export const routes: readonly Route[] = [
  {
    ...get(
      '/device/import/template',
      {
        needs: 'device:list',
        scope: 'svc:read',
        risk: 'read',
        summary: 'Answers the empty table (text/csv) of the devices of a driver and a profile',
        input: OfTable,
        output: z.string(),
      },
      template,
    ),
    csv: 'answer',
  },
  {
    ...post(
      '/device/import/preview',
      {
        needs: 'device:list',
        scope: 'interactive',
        risk: 'read',
        summary: 'Says what an import of a table (text/csv) would do, row by row; writes nothing',
        input: GivenTable,
        output: Preview,
      },
      preview,
    ),
    csv: 'body',
  },
];
