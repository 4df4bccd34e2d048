import { sql } from 'kysely';

import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { Page, Paged } from '../../kernel/input/page.ts';
import { RwFlag } from '../../manager/entity/value-type.ts';
import { spellingsOf } from '../../manager/find/unit.ts';
import { type LatestValue, latestValueOf, pointsWithLatest } from './latest-value.ts';

/** Points of devices; every field narrows. */
type PlaceQuery = {
  page: Page;
  deviceId?: string | undefined;
  profileId?: string | undefined;
  pointIds?: readonly string[] | undefined;
  pairs?: readonly { deviceId: string; pointId: string }[] | undefined;
  unit?: string | undefined;
  writable?: boolean | undefined;
};

/** A point of a device with its latest value, and whether it can be written. */
export type Place = LatestValue & { rw: keyof typeof RwFlag };

/** A page over the points of devices, by device. */
export const places: Operation<PlaceQuery, Paged<Place>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const now = app.clock.now();
    const { deviceId, profileId, pointIds, pairs, unit, writable } = given;
    let query = pointsWithLatest(q, tenantId).select('p.rwFlag');
    if (deviceId !== undefined) query = query.where('d.id', '=', deviceId);
    if (profileId !== undefined) query = query.where('d.profileId', '=', profileId);
    if (pointIds) query = query.where((eb) => eb('p.id', '=', eb.fn.any(eb.val([...pointIds]))));
    if (pairs) {
      const devices = [...new Set(pairs.map((pair) => pair.deviceId))];
      const keys = pairs.map((pair) => `${pair.deviceId}:${pair.pointId}`);
      query = query
        .where((eb) => eb('d.id', '=', eb.fn.any(eb.val(devices))))
        .where(sql<boolean>`d.id || ':' || p.id = any(${keys})`);
    }
    if (unit !== undefined)
      query = query.where(sql<boolean>`lower(p.unit) = any(${spellingsOf(unit)})`);
    if (writable !== undefined)
      query = query.where('p.rwFlag', writable ? '!=' : '=', RwFlag.READ_ONLY);
    const byDevice = query.orderBy('d.deviceName').orderBy('d.id').orderBy('p.id');
    return pageOf(byDevice, given.page, ({ rwFlag, ...row }) => ({
      ...latestValueOf(row, now),
      rw: nameOf(RwFlag, rwFlag),
    }));
  });
