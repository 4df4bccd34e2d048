import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import type { ById } from '../../core/input/input.ts';
import { type Paged, paged } from '../../core/input/page.ts';
import type { Queries } from '../../db/connect.ts';
import { contains } from '../../db/query-page.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { heardUntil } from '../driver/listening.ts';
import { EntityType } from '../group/entity-type.ts';
import { Device, type DeviceQuery, devicesIn } from './device.ts';
import { type Presence, presenceOf, withStates } from './presence.ts';
import { EntityState } from './state.ts';

/** A device with its presence and the names of what it belongs to. */
export type DeviceNow = Device & { presence: Presence; driverName: string; profileName: string };

/** `offline` includes what never connected but was reported; `unknown`: no driver has spoken of it. */
export const Situation = z.enum(['online', 'offline', 'never connected', 'unknown']);

export type NowQuery = DeviceQuery & {
  situation?: z.output<typeof Situation> | undefined;
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
    const listed = devicesIn(q, tenantId, { page: first }).where('id', '=', id);
    const [row] = await withStates(q, tenantId, { listed, page: first, now: app.clock.now() });
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
  let query = devicesIn(q, tenantId, given);
  const { situation, text, meant = [] } = given;
  if (situation !== undefined) {
    const { ids, isIn } = devicesThat(q, tenantId, situation, now);
    query = query.where('id', isIn ? 'in' : 'not in', ids);
  }
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

/** The devices in a situation: those of `ids`, or all but them. */
function devicesThat(
  q: Queries,
  tenantId: string,
  situation: z.output<typeof Situation>,
  now: number,
) {
  const reported = q
    .selectFrom('svc_entity_state')
    .select('entityId')
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE);
  if (situation === 'unknown') return { ids: reported, isIn: false };
  const isOnline = sql<boolean>`(entity_state_flag <> ${EntityState.OFFLINE}
    and coalesce(expire_time > ${heardUntil(now)}, false))`;
  if (situation === 'online') return { ids: reported.where(isOnline), isIn: true };
  if (situation === 'offline')
    return { ids: reported.where(sql<boolean>`not ${isOnline}`), isIn: true };
  const connected = reported.where((eb) => eb.or([isOnline, eb('lastOnlineTime', 'is not', null)]));
  return { ids: connected, isIn: false };
}
