import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { type OfTable, type Table, tableOf, titlesOf } from './columns.ts';
import { cellsOf } from './stored-cells.ts';

/** Devices read at a time. */
const PAGE = 500;

/**
 * The devices of a driver and a profile as a table (CSV), in the order they were added, page by page; an import of it
 * changes nothing. Secret configs are left out. Throws NotFound.
 */
export const exportDevices: Operation<OfTable, AsyncIterable<string>> = async (
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
