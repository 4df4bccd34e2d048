import { ByIds } from '../core/input/input.ts';
import type { Route } from '../route.ts';
import { routes as attributes } from './attribute/routes.ts';
import * as device from './device/device.ts';
import * as deviceImport from './device/import.ts';
import * as driver from './driver/driver.ts';
import * as pointList from './overview/point-list.ts';
import * as pointUsage from './overview/point-usage.ts';
import { routes as overview } from './overview/routes.ts';
import * as point from './profile/point.ts';
import * as profile from './profile/profile.ts';
import { routes as definitions } from './profile/routes.ts';
import { add, byId, find, list, one, remove, update } from './routes/row.ts';

/** The endpoint table of the manager center (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  add('/driver/add', 'driver', driver.AddDriver, driver.add),
  update('/driver/update', 'driver', driver.UpdateDriver, driver.update),
  remove('/driver/delete', 'driver', driver.remove),
  byId('/driver/get_by_id', 'driver', driver.byId),
  list('/driver/list_by_ids', 'driver', ByIds, driver.byIds),
  one('/driver/get_by_service_name', 'driver', driver.ByServiceName, driver.byServiceName),
  list('/driver/list', 'driver', driver.DriverQuery, driver.page),

  add('/profile/add', 'profile', profile.AddProfile, profile.add),
  update('/profile/update', 'profile', profile.UpdateProfile, profile.update),
  remove('/profile/delete', 'profile', profile.remove),
  byId('/profile/get_by_id', 'profile', profile.byId),
  list('/profile/list_by_ids', 'profile', ByIds, profile.byIds),
  find('/profile/list_by_device_id', 'profile', profile.ByDevice, profile.byDevice),
  list('/profile/list', 'profile', profile.ProfileQuery, profile.page),

  add('/device/add', 'device', device.AddDevice, device.add),
  update('/device/update', 'device', device.UpdateDevice, device.update),
  remove('/device/delete', 'device', device.remove),
  byId('/device/get_by_id', 'device', device.byId),
  list('/device/list_by_ids', 'device', ByIds, device.byIds),
  find('/device/list_by_profile_id', 'device', device.ByProfile, device.byProfile),
  {
    ...add('/device/import', 'device', deviceImport.ImportDevices, deviceImport.importDevices),
    summary: 'Adds the devices of a table (text/csv), all of them or none',
    csv: 'body',
  },
  {
    ...list(
      '/device/export/import_template',
      'device',
      deviceImport.TemplateQuery,
      deviceImport.template,
    ),
    summary: 'Answers a table (text/csv) to fill in for an import',
    csv: 'answer',
  },
  find('/device/get_count_by_driver_id', 'device', device.OfDriver, device.countByDriver),
  list('/device/list', 'device', device.DeviceQuery, device.page),

  add('/point/add', 'point', point.AddPoint, point.add),
  update('/point/update', 'point', point.UpdatePoint, point.update),
  remove('/point/delete', 'point', point.remove),
  byId('/point/get_by_id', 'point', point.byId),
  list('/point/list_by_ids', 'point', ByIds, pointList.byIds),
  list('/point/unit', 'point', ByIds, pointList.units),
  find('/point/list_by_profile_id', 'point', pointList.OfProfile, pointList.byProfile),
  find('/point/list_by_device_id', 'point', pointList.OfDevice, pointList.byDevice),
  find('/point/get_count_by_device_id', 'point', pointList.OfDevice, pointList.countByDevice),
  find(
    '/point/list_device_statistics_by_point_id',
    'point',
    pointUsage.OfPoint,
    pointUsage.devicesWith,
  ),
  one(
    '/point/get_point_config_by_device_id',
    'point',
    pointUsage.OfDevice,
    pointUsage.configuredPoints,
  ),
  list('/point/list', 'point', point.PointQuery, point.page),

  ...attributes,
  ...definitions,
  ...overview,
];
