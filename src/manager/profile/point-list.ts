import type { Operation } from '../../app.ts';
import type { ByIds } from '../../core/input/input.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import { rowOf, rowsOf } from '../../entity/row.ts';
import type { OfDevice } from '../device/device.ts';
import { byKey } from '../entity.ts';
import { Point, pointsOf } from './point.ts';
import type { OfProfile } from './profile.ts';

/** Ids that are missing or another tenant's are dropped (docs/specification/tenant-isolation.md 3). */
export const byIds: Operation<ByIds, Record<string, Point>> = (app, { tenantId }, { ids }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    byKey((await rowsOf(q, 'svc_point', tenantId, ids)).map(Point.of)),
  );

/** The unit of each point that exists, by id. */
export const units: Operation<ByIds, Record<string, string>> = async (app, caller, given) =>
  Object.fromEntries(
    Object.values(await byIds(app, caller, given)).map(({ id, unit }) => [id, unit]),
  );

/** All points of a profile, oldest first; none for a profile that does not exist. */
export const byProfile: Operation<OfProfile, Point[]> = (app, { tenantId }, { profileId }) =>
  inOneTrip(app.db, tenantId, (q) => pointsOf(q, tenantId, profileId));

export const byDevice: Operation<OfDevice, Point[]> = async (app, caller, { deviceId }) => {
  const { tenantId } = caller;
  const { profileId } = await inTenant(app.db, tenantId, (q) =>
    rowOf(q, 'svc_device', tenantId, deviceId),
  );
  return byProfile(app, caller, { profileId });
};

export const countByDevice: Operation<OfDevice, number> = (app, { tenantId }, { deviceId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const { profileId } = await rowOf(q, 'svc_device', tenantId, deviceId);
    const { count } = await q
      .selectFrom('svc_point')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileId)
      .executeTakeFirstOrThrow();
    return Number(count);
  });
