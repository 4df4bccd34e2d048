import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { inTenant } from '../../db/tenant.ts';
import { rowOf } from '../../entity/row.ts';
import { byProfile, Device, type OfDevice } from '../device/device.ts';
import { type OfPoint, Point } from './point.ts';

/** The devices that have a point, by its profile: their number and the first 1,000. */
export const PointDevices = z.object({ count: z.number().int(), devices: z.array(Device.schema) });

export const devicesWith: Operation<OfPoint, z.output<typeof PointDevices>> = async (
  app,
  caller,
  { pointId },
) => {
  const { tenantId } = caller;
  const { profileId, total } = await inTenant(app.db, tenantId, async (q) => {
    const point = await rowOf(q, 'svc_point', tenantId, pointId);
    const counted = await q
      .selectFrom('svc_device')
      .select(sql<string>`count(*)`.as('total'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', point.profileId)
      .executeTakeFirstOrThrow();
    return { profileId: point.profileId, total: Number(counted.total) };
  });
  return { count: total, devices: await byProfile(app, caller, { profileId }) };
};

/** Which points of a device have a config of their own (`points`), and how many have none yet. */
export const PointConfigs = z.object({
  unConfigCount: z.number().int(),
  configCount: z.number().int(),
  points: z.array(Point.schema),
});

export const configuredPoints: Operation<OfDevice, z.output<typeof PointConfigs>> = (
  app,
  { tenantId },
  { deviceId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const { profileId } = await rowOf(q, 'svc_device', tenantId, deviceId);
    const rows = await q
      .selectFrom('svc_point')
      .selectAll()
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('svc_point_attribute_config as c')
              .select('c.id')
              .where('c.tenantId', '=', tenantId)
              .where('c.deviceId', '=', deviceId)
              .whereRef('c.pointId', '=', 'svc_point.id'),
          )
          .as('configured'),
      )
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileId)
      .orderBy('id')
      .limit(10_000)
      .execute();
    const points = rows.filter(({ configured }) => configured).map(Point.of);
    return {
      unConfigCount: rows.length - points.length,
      configCount: points.length,
      points,
    };
  });
