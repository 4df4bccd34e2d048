import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { contains } from '../../db/query-page.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import { type Paged, paged } from '../../kernel/input/page.ts';
import { Device, type DeviceQuery, devicesIn } from '../device/device.ts';
import { type Presence, presenceOf, withStates } from './presence.ts';

/** A device with its presence and the names of what it belongs to. */
export type DeviceNow = Device & { presence: Presence; driverName: string; profileName: string };

export type NowQuery = Omit<DeviceQuery, 'orderBy'> & {
  /** Part of the code or remark, or of the name where nothing is meant. */
  text?: string | undefined;
  /** Ids of the devices whose names have its words. */
  meant?: readonly string[] | undefined;
};

/** A page of devices as they are now, newest first. */
export const page: Operation<NowQuery, Paged<DeviceNow>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const listed = narrowedBy(q, tenantId, given, now);
    const [total, rows] = await Promise.all([
      listTotal(listed, { q, tenantId, table: 'svc_device', given }),
      withStates(q, tenantId, { listed, page: given.page, now }),
    ]);
    return paged(given.page, total, rows.map(deviceNow));
  });

/** Throws NotFound. */
export const byId: Operation<ById, DeviceNow> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const first = { current: 1, size: 1 };
    const now = app.clock.now();
    const listed = devicesIn(q, tenantId, { page: first }, now).where('id', '=', id);
    const [row] = await withStates(q, tenantId, { listed, page: first, now });
    if (!row) throw new NotFound('Device');
    return deviceNow(row);
  });

type Row = Awaited<ReturnType<typeof withStates>>[number];

const deviceNow = (row: Row): DeviceNow => ({
  ...Device.of(row),
  presence: presenceOf(row),
  driverName: row.driverName ?? '',
  profileName: row.profileName ?? '',
});

function narrowedBy(q: Queries, tenantId: string, given: NowQuery, now: number) {
  let query = devicesIn(q, tenantId, given, now);
  const { text, meant = [] } = given;
  if (text !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb('id', '=', eb.fn.any(eb.val([...meant]))),
        sql<boolean>`(device_code || ' ' || remark) ilike ${contains(text)}`,
        eb.and([eb.val(meant.length === 0), eb('deviceName', 'ilike', contains(text))]),
      ]),
    );
  }
  return query;
}
