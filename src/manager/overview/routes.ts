import { get, type Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import * as dashboard from './dashboard.ts';
import * as dictionary from './dictionary.ts';
import { Topic, TopicQuery, topics } from './topic.ts';
import { Topology, topology, TopologyQuery } from './topology.ts';

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
