import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import type { OfDevice } from '../entity/of.ts';
import { type OfPoint, Point } from '../profile/point.ts';
import { profileOf } from '../profile/profile.ts';
import { Device, devicesOf } from './device.ts';

/** The devices that have a point, by its profile: their number and the first 1,000. */
export const PointDevices = z.object({ count: z.number().int(), devices: z.array(Device.schema) });

export const devicesWith: Operation<OfPoint, z.output<typeof PointDevices>> = (
  app,
  { tenantId },
  { pointId },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const profileId = q
      .selectFrom('svc_point')
      .select('profileId')
      .where('tenantId', '=', tenantId)
      .where('id', '=', pointId);
    const counted = q
      .selectFrom('svc_device')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileId);
    const [, { count }, devices] = await Promise.all([
      rowOf(q, 'svc_point', tenantId, pointId),
      counted.executeTakeFirstOrThrow(),
      devicesOf(q, tenantId, profileId),
    ]);
    return { count: Number(count), devices };
  });

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
  inOneTrip(app.db, tenantId, async (q) => {
    const listed = q
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
      .where('profileId', '=', profileOf(q, tenantId, deviceId))
      .orderBy('id')
      .limit(10_000);
    const [, rows] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      listed.execute(),
    ]);
    const points = rows.filter(({ configured }) => configured).map(Point.of);
    return {
      unConfigCount: rows.length - points.length,
      configCount: points.length,
      points,
    };
  });
