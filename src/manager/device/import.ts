import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { formatCsv } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { remove } from './device.ts';
import { insertDevices } from './insert.ts';
import { type Column, columnsOf, OWN, type Planned, plannedOf } from './table.ts';

/** Largest table (docs/specification/endpoints.md, Limits of bodies). */
const MAX_IMPORT_BYTES = 20 * 1024 * 1024;
/** Devices and configs that one transaction adds or checks: it must not hold up other tenants for long. */
const MAX_ADDED = 200;
const MAX_CHECKED = 500;

export const TemplateQuery = input({ driverId: Id, profileId: Id });
type TemplateQuery = z.infer<typeof TemplateQuery>;
export const ImportDevices = input({
  driverId: Id,
  profileId: Id,
  csv: z.string().max(MAX_IMPORT_BYTES).default(''),
});
type ImportDevices = z.infer<typeof ImportDevices>;
export const Imported = z.object({ imported: z.number().int().describe('Devices added') });

/** An empty table (CSV): one row per device, one column per config that a device can have. */
export const template: Operation<TemplateQuery, string> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const columns = await columnsOf(q, tenantId, given);
    return formatCsv([[...OWN, ...columns.map(({ title }) => title)]]);
  });

/**
 * Adds the devices of a table. Every row is checked before the first is added; the devices are added in
 * slices, so that other requests run in between, and a refused slice deletes those added before it. Throws
 * BadRequest and Unprocessable with the row, Conflict for a name, code or identity that is taken.
 */
export const importDevices: Operation<ImportDevices, z.output<typeof Imported>> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  const { driverId } = given;
  const columns = await inOneTrip(app.db, tenantId, (q) => columnsOf(q, tenantId, given));
  const devices = await plannedOf(given, columns);
  for (const slice of slicesOf(devices, MAX_CHECKED))
    await inTenant(app.db, tenantId, (q) => expectFree(q, tenantId, slice));
  const added: string[] = [];
  try {
    for (const slice of slicesOf(devices, MAX_ADDED)) {
      const adding = inTenant(app.db, tenantId, async (q) => {
        if (titlesOf(await columnsOf(q, tenantId, given)) !== titlesOf(columns))
          throw new Conflict('The driver or the profile was changed meanwhile');
        return insertDevices(app, q, caller, given, slice);
      });
      added.push(...(await conflictIfTaken('device', adding)).values());
    }
  } catch (error) {
    await takeBack(app, caller, added);
    throw error;
  }
  await tellDrivers(app, tenantId, { driverId });
  return { imported: added.length };
};

const titlesOf = (columns: readonly Column[]): string => columns.map(({ title }) => title).join();

/** Never throws: the caller must get the reason of the refusal. */
async function takeBack(app: App, caller: Caller, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await remove(app, caller, { id }).catch((error: unknown) => {
      if (error instanceof NotFound) return;
      app.log.error({ error, tenantId: caller.tenantId, id }, 'imported device not removed again');
    });
}

/** Slices of about `max` cells, counting each device and each of its configs. */
function* slicesOf(devices: readonly Planned[], max: number): Generator<Planned[]> {
  let slice: Planned[] = [];
  let cells = 0;
  for (const device of devices) {
    slice.push(device);
    cells += 1 + device.configs.length;
    if (cells < max) continue;
    yield slice;
    slice = [];
    cells = 0;
  }
  if (slice.length > 0) yield slice;
}

async function expectFree(
  q: Queries,
  tenantId: string,
  devices: readonly Planned[],
): Promise<void> {
  const row = await q
    .selectFrom('svc_device')
    .select(['deviceName', 'deviceCode'])
    .where('tenantId', '=', tenantId)
    .where((eb) =>
      eb.or([
        eb('deviceName', '=', eb.fn.any(eb.val(devices.map(({ deviceName }) => deviceName)))),
        eb('deviceCode', '=', eb.fn.any(eb.val(devices.map(({ deviceCode }) => deviceCode)))),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (!row) return;
  const name = devices.some(({ deviceName }) => deviceName === row.deviceName);
  const what = name ? `name ${quoted(row.deviceName)}` : `code ${quoted(row.deviceCode)}`;
  throw new Conflict(`The device ${what} is already taken`);
}
