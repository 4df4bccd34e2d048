import { z } from 'zod';

import { get, post, type Route } from '../kernel/app/route.ts';
import { routesOf } from '../kernel/entity/routes.ts';
import { ByIds } from '../kernel/input/input.ts';
import * as pointUsage from './device/point-usage.ts';
import { OfDevice, OfProfile } from './entity/of.ts';
import * as pointList from './profile/point-list.ts';
import * as point from './profile/point.ts';

const rows = routesOf({ noun: 'point', answer: point.Point.schema, reads: 'svc:read' });
const lists = { needs: 'point:list', scope: 'svc:read', risk: 'read' } as const;

/** Points of profiles, and the devices that have them. */
export const routes: readonly Route[] = [
  rows.add('/point/add', point.AddPoint, point.add),
  rows.update('/point/update', point.UpdatePoint, point.update),
  rows.remove('/point/delete', point.remove),
  rows.byId('/point/get_by_id', point.byId),
  rows.byIds('/point/list_by_ids', pointList.byIds),
  post(
    '/point/unit',
    {
      ...lists,
      summary: 'Answers the units of points by id; those that do not exist are left out',
      input: ByIds,
      output: z.record(z.string(), z.string().meta({ examples: ['°C'] })),
    },
    pointList.units,
  ),
  rows.of('/point/list_by_profile_id', OfProfile, pointList.byProfile),
  rows.of('/point/list_by_device_id', OfDevice, pointList.byDevice),
  get(
    '/point/get_count_by_device_id',
    {
      ...lists,
      summary: 'Counts the points of a device',
      input: OfDevice,
      output: z.number().int(),
    },
    pointList.countByDevice,
  ),
  get(
    '/point/list_device_statistics_by_point_id',
    {
      ...lists,
      summary: 'Counts and lists the devices that have a point',
      input: point.OfPoint,
      output: pointUsage.PointDevices,
    },
    pointUsage.devicesWith,
  ),
  get(
    '/point/get_point_config_by_device_id',
    {
      needs: 'point:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers which points of a device have a config of their own',
      input: OfDevice,
      output: pointUsage.PointConfigs,
    },
    pointUsage.configuredPoints,
  ),
  rows.page('/point/list', point.PointQuery, point.page),
];
