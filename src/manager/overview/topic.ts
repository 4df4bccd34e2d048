import { sql } from 'kysely';
import { z } from 'zod';

import { contains, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';

export const TopicQuery = input({
  page: Page,
  topic: Text(64).optional(),
  deviceName: Text(64).optional(),
});
type TopicQuery = z.infer<typeof TopicQuery>;

export const Topic = z
  .object({
    topic: z.string().meta({ examples: ['svc.e.value/Lwm2mDriver'] }),
    deviceName: z.string().meta({ examples: ['Boiler 2'] }),
    pointName: z.string().meta({ examples: ['Outlet temperature'] }),
  })
  .meta({ id: 'Topic' });
type Topic = z.output<typeof Topic>;

/** Exchange and routing key on the bus for the values of each point of each device. */
export const topics: Operation<TopicQuery, Paged<Topic>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
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
