import { z } from 'zod';

import { get, Pieces, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { OfTable } from './columns.ts';
import { exportDevices } from './export.ts';
import * as imports from './import.ts';
import { GivenTable, Preview, preview } from './preview.ts';
import { DeviceImport } from './stored-import.ts';
import { template } from './template.ts';

const lists = {
  needs: 'device:list',
  scope: 'interactive',
  risk: 'read',
  reason: 'docs/specification/objects.md, Tables of devices',
} as const;

/** Devices as tables: template, preview, imports, export. */
export const routes: readonly Route[] = [
  {
    ...get(
      '/device/import/template',
      {
        needs: 'device:list',
        scope: 'svc:read',
        risk: 'read',
        summary: 'Answers the empty table (text/csv) of the devices of a driver and a profile',
        reason: 'docs/specification/objects.md, Tables of devices',
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
        reason: 'docs/specification/objects.md, Tables of devices',
        input: GivenTable,
        output: Preview,
      },
      preview,
    ),
    csv: 'body',
  },
  {
    ...post(
      '/device/import/run',
      {
        needs: 'device:add',
        scope: 'interactive',
        risk: 'add',
        summary: 'Begins an import of a table (text/csv) of devices; answers its id',
        reason: 'docs/specification/objects.md, Tables of devices',
        input: GivenTable,
        output: AnswerUuid,
      },
      imports.run,
    ),
    csv: 'body',
  },
  get(
    '/device/import/get',
    {
      ...lists,
      summary: 'Answers how far an import of devices is',
      input: imports.OfImport,
      output: imports.ImportWithRefused,
    },
    imports.byId,
  ),
  post(
    '/device/import/list',
    {
      ...lists,
      summary: 'Answers the newest 20 imports of devices',
      input: input({}),
      output: z.array(DeviceImport),
    },
    imports.list,
  ),
  post(
    '/device/import/cancel',
    {
      needs: 'device:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Ends an import of devices before the rows that are not handled yet',
      reason: 'docs/specification/objects.md, Tables of devices',
      input: imports.OfImport,
      output: z.void(),
    },
    imports.cancel,
  ),
  {
    ...get(
      '/device/import/report',
      {
        ...lists,
        summary: 'Answers the refused rows of an import of devices (text/csv)',
        input: imports.OfImport,
        output: z.string(),
      },
      imports.report,
    ),
    csv: 'answer',
  },
  {
    ...get(
      '/device/export',
      {
        needs: 'device:list',
        scope: 'svc:read',
        risk: 'read',
        summary: 'Answers the devices of a driver and a profile as a table (text/csv)',
        reason: 'docs/specification/objects.md, Tables of devices',
        input: OfTable,
        output: Pieces,
      },
      exportDevices,
    ),
    csv: 'stream',
  },
];
