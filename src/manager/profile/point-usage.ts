import { sql } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { inTenant } from '../../db/tenant.ts';
import { rowOf } from '../../entity/row.ts';
import { byProfile, type Device } from '../device/device.ts';
import { Point } from '../profile/point.ts';

export const OfPoint = input({ pointId: Id });
type OfPoint = z.infer<typeof OfPoint>;
export const OfDevice = input({ deviceId: Id });
type OfDevice = z.infer<typeof OfDevice>;

/** The devices that have the point, by its profile: their number and the first 1,000. */
export const devicesWith: Operation<OfPoint, { count: number; devices: Device[] }> = async (
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

export type PointConfigs = { unConfigCount: number; configCount: number; points: Point[] };

/** Which points of a device have a config of their own (`points`), and how many have none yet. */
export const configuredPoints: Operation<OfDevice, PointConfigs> = (
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

export const TopicQuery = input({
  page: Page,
  topic: Text(64).optional(),
  deviceName: Text(64).optional(),
});
type TopicQuery = z.infer<typeof TopicQuery>;

export type Topic = { topic: string; deviceName: string; pointName: string };

/** Exchange and routing key on the bus for the values of each point of each device. */
export const topics: Operation<TopicQuery, Paged<Topic>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    const topic = sql<string>`'svc.e.value/' || v.driver_code`;
    let query = q
      .selectFrom('svc_device as d')
      .innerJoin('svc_driver as v', (join) =>
        join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
      )
      .innerJoin('svc_point as p', (join) =>
        join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
      )
      .select(['d.deviceName', 'p.pointName', topic.as('topic')])
      .where('d.tenantId', '=', tenantId);
    if (given.deviceName) query = query.where('d.deviceName', 'ilike', contains(given.deviceName));
    if (given.topic) query = query.where(topic, 'ilike', contains(given.topic));
    return pageOf(query.orderBy('d.id').orderBy('p.id'), given.page, (row) => row);
  });
