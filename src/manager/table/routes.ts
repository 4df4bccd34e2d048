import { z } from 'zod';

import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { get, Pieces, post, type Route } from '../../kernel/app/route.ts';
import { AnswerUuid } from '../../kernel/entity/answer.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { input } from '../../kernel/input/input.ts';
import { OfTable, type Table, tableOf, titlesOf } from './columns.ts';
import * as imports from './import.ts';
import { GivenTable, Preview, preview } from './preview.ts';
import { cellsOf } from './stored-cells.ts';
import { DeviceImport } from './stored-import.ts';

/** An empty table (CSV) of the devices of a driver and a profile, for an import. */
const template: Operation<OfTable, string> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) =>
    formatCsv([titlesOf(await tableOf(q, tenantId, given))]),
  );

/** Devices read at a time. */
const PAGE = 500;

/**
 * The devices of a driver and a profile as a table (CSV), in the order they were added, page by page; an import of it
 * changes nothing. Secret configs are left out. Throws NotFound.
 */
const exportDevices: Operation<OfTable, AsyncIterable<string>> = async (
  app,
  { tenantId },
  given,
) => {
  const table = await inOneTrip(app.db, tenantId, (q) => tableOf(q, tenantId, given));
  return pages(app, tenantId, table);
};

async function* pages(app: App, tenantId: string, table: Table): AsyncGenerator<string> {
  const titles = titlesOf(table);
  yield UTF8_MARK + formatCsv([titles]);
  for (let afterId = '0'; ;) {
    const from = afterId;
    const { devices, cells } = await inTenant(app.db, tenantId, async (q) => {
      const found = await q
        .selectFrom('svc_device')
        .select(['id', 'deviceName', 'deviceCode', 'remark', 'enableFlag'])
        .where('tenantId', '=', tenantId)
        .where('driverId', '=', table.driverId)
        .where('profileId', '=', table.profileId)
        .where('id', '>', from)
        .orderBy('id')
        .limit(PAGE)
        .execute();
      return { devices: found, cells: await cellsOf(q, tenantId, table, found) };
    });
    yield formatCsv(
      devices.map(({ id }) => titles.map((title) => cells.get(id)?.get(title) ?? '')),
    );
    const last = devices.at(-1);
    if (!last || devices.length < PAGE) return;
    afterId = last.id;
  }
}

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
