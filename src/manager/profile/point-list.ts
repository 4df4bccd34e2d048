import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf, rowsOf } from '../../kernel/entity/row.ts';
import type { ByIds } from '../../kernel/input/input.ts';
import { byKey } from '../entity/answer.ts';
import type { OfDevice, OfProfile } from '../entity/of.ts';
import { Point, pointsOf } from './point.ts';
import { profileOf } from './profile.ts';

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

/** All points of a device, oldest first; throws NotFound for a device that does not exist. */
export const byDevice: Operation<OfDevice, Point[]> = (app, { tenantId }, { deviceId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [, points] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      pointsOf(q, tenantId, profileOf(q, tenantId, deviceId)),
    ]);
    return points;
  });

export const countByDevice: Operation<OfDevice, number> = (app, { tenantId }, { deviceId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const counted = q
      .selectFrom('svc_point')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileOf(q, tenantId, deviceId));
    const [, { count }] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      counted.executeTakeFirstOrThrow(),
    ]);
    return Number(count);
  });
