import { sql } from 'kysely';
import { z } from 'zod';

import { contains, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { get, type Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import * as dashboard from './dashboard.ts';
import * as dictionary from './dictionary.ts';
import { Topology, topology, TopologyQuery } from './topology.ts';

const TopicQuery = input({
  page: Page,
  topic: Text(64).optional(),
  deviceName: Text(64).optional(),
});
type TopicQuery = z.infer<typeof TopicQuery>;

const Topic = z
  .object({
    topic: z.string().meta({ examples: ['svc.e.value/Lwm2mDriver'] }),
    deviceName: z.string().meta({ examples: ['Boiler 2'] }),
    pointName: z.string().meta({ examples: ['Outlet temperature'] }),
  })
  .meta({ id: 'Topic' });
type Topic = z.output<typeof Topic>;

/** Exchange and routing key on the bus for the values of each point of each device. */
const topics: Operation<TopicQuery, Paged<Topic>> = (app, { tenantId }, given) =>
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

const entries = routesOf({
  noun: 'dictionary_for_manager',
  answer: dictionary.Entry,
  reads: 'svc:read',
});
const { DictionaryQuery } = dictionary;
const topicRows = routesOf({ noun: 'topic', answer: Topic, reads: 'svc:read' });
const dash = { needs: 'dashboard:get', scope: 'svc:read', risk: 'read' } as const;

/** Overviews: selection lists, counts, how drivers, devices and profiles are connected, topics of values. */
export const routes: readonly Route[] = [
  entries.page('/dictionary/driver', DictionaryQuery, dictionary.drivers),
  entries.page('/dictionary/profile', DictionaryQuery, dictionary.profiles),
  entries.page('/dictionary/profile_point', DictionaryQuery, dictionary.profilePoints),
  entries.page('/dictionary/device_point', DictionaryQuery, dictionary.devicePoints),
  entries.page('/dictionary/device', DictionaryQuery, dictionary.devices),
  entries.page('/dictionary/driver_device', DictionaryQuery, dictionary.driverDevices),

  get(
    '/dashboard/driver/stats',
    {
      ...dash,
      summary: 'Counts drivers by state, type and service',
      input: dashboard.Nothing,
      output: dashboard.DriverStats,
    },
    dashboard.driverStats,
  ),
  get(
    '/dashboard/device/stats',
    {
      ...dash,
      summary: 'Counts devices by state, driver and profile',
      input: dashboard.TopN,
      output: dashboard.DeviceStats,
    },
    dashboard.deviceStats,
  ),
  get(
    '/dashboard/growth',
    {
      ...dash,
      summary: 'Answers what was added on each of the last days',
      input: dashboard.Days,
      output: dashboard.Growth,
    },
    dashboard.growth,
  ),
  get(
    '/dashboard/topology',
    {
      ...dash,
      summary: 'Answers who is connected to what',
      input: TopologyQuery,
      output: Topology,
    },
    topology,
  ),
  topicRows.page('/topic/list', TopicQuery, topics),
];
