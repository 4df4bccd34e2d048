import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { tellDrivers } from '../driver/driver-updates.ts';

type Ended = { status: 'DONE' | 'CANCELLED' | 'FAILED'; why?: string };

/** Sends the devices to their driver, then ends an import that runs, and drops the rows that were not handled. */
export async function end(
  app: App,
  { tenantId, importId, driverId }: { tenantId: string; importId: string; driverId: string },
  { status, why = '' }: Ended,
): Promise<void> {
  // Before it counts as ended: after a crash between both, they are sent again.
  if (status !== 'CANCELLED') await tellDrivers(app, tenantId, { driverId });
  const isEnded = await inTenant(app.db, tenantId, async (q) => {
    const { numUpdatedRows } = await q
      .updateTable('svc_device_import')
      .set({ status, why, endTime: new Date(app.clock.now()) })
      .where('tenantId', '=', tenantId)
      .where('importId', '=', importId)
      .where('status', '=', 'RUNNING')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await q
      .deleteFrom('svc_device_import_slice')
      .where('tenantId', '=', tenantId)
      .where('importId', '=', importId)
      .execute();
    return true;
  });
  // A cancelled import ends at once; the last slice may have been committed until then.
  if (isEnded && status === 'CANCELLED') await tellDrivers(app, tenantId, { driverId });
}
