import type { z } from 'zod';

import type { Operation } from '../app.ts';
import { ById, ByIds } from '../core/input.ts';
import { get, post, type Route } from '../route.ts';
import * as attribute from './attribute.ts';
import * as command from './command.ts';
import * as device from './device.ts';
import * as driverConfig from './driver-attribute-config.ts';
import * as driver from './driver.ts';
import * as event from './event.ts';
import * as pointConfig from './point-attribute-config.ts';
import * as pointList from './point-list.ts';
import * as point from './point.ts';
import * as profile from './profile.ts';

const { driverAttribute, pointAttribute } = attribute;

const words = (noun: string): string => noun.replaceAll('_', ' ');
const read = (needs: string) => {
  const noun = words(needs.split(':')[0] ?? '');
  return { needs, risk: 'read', summary: `Answers one ${noun}` } as const;
};

function add<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Adds a ${words(noun)}; answers its id`;
  return post(path, { needs: `${noun}:add`, risk: 'add', summary, input }, run);
}
function update<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Changes the given fields of a ${words(noun)}`;
  return post(path, { needs: `${noun}:update`, risk: 'update', summary, input }, run);
}
function remove<O>(path: string, noun: string, run: Operation<ById, O>): Route {
  const summary = `Deletes a ${words(noun)} that is not in use`;
  return post(path, { needs: `${noun}:delete`, risk: 'remove', summary, input: ById }, run);
}
function byId<O>(path: string, noun: string, run: Operation<ById, O>): Route {
  return get(path, { ...read(`${noun}:get`), input: ById }, run);
}
function find<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers ${words(noun)}s by what they belong to`;
  return get(path, { needs: `${noun}:list`, risk: 'read', summary, input }, run);
}
function list<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers ${words(noun)}s`;
  return post(path, { needs: `${noun}:list`, risk: 'read', summary, input }, run);
}

/** The endpoint table of the manager center (SPEC.md, Endpoints; reference/rest.md 2.2.2). */
export const routes: readonly Route[] = [
  // Drivers and the attributes they declare
  add('/driver/add', 'driver', driver.AddDriver, driver.add),
  update('/driver/update', 'driver', driver.UpdateDriver, driver.update),
  remove('/driver/delete', 'driver', driver.remove),
  byId('/driver/get_by_id', 'driver', driver.byId),
  list('/driver/list_by_ids', 'driver', ByIds, driver.byIds),
  get(
    '/driver/get_by_service_name',
    { ...read('driver:get'), input: driver.ByServiceName },
    driver.byServiceName,
  ),
  list('/driver/list', 'driver', driver.DriverQuery, driver.page),
  byId('/driver_attribute/get_by_id', 'driver_attribute', driverAttribute.byId),
  find(
    '/driver_attribute/list_by_driver_id',
    'driver_attribute',
    attribute.OfDriver,
    driverAttribute.byDriver,
  ),
  list(
    '/driver_attribute/list',
    'driver_attribute',
    attribute.AttributeQuery,
    driverAttribute.page,
  ),
  byId('/point_attribute/get_by_id', 'point_attribute', pointAttribute.byId),
  find(
    '/point_attribute/list_by_driver_id',
    'point_attribute',
    attribute.OfDriver,
    pointAttribute.byDriver,
  ),
  list('/point_attribute/list', 'point_attribute', attribute.AttributeQuery, pointAttribute.page),

  // Profiles, devices, points
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
  list('/point/list', 'point', point.PointQuery, point.page),

  // Configs of devices
  add(
    '/driver_attribute_config/add',
    'driver_attribute_config',
    driverConfig.AddConfig,
    driverConfig.add,
  ),
  update(
    '/driver_attribute_config/update',
    'driver_attribute_config',
    driverConfig.UpdateConfig,
    driverConfig.update,
  ),
  remove('/driver_attribute_config/delete', 'driver_attribute_config', driverConfig.remove),
  byId('/driver_attribute_config/get_by_id', 'driver_attribute_config', driverConfig.byId),
  get(
    '/driver_attribute_config/get_by_device_id_and_attribute_id',
    { ...read('driver_attribute_config:get'), input: driverConfig.OfDeviceAndAttribute },
    driverConfig.byDeviceAndAttribute,
  ),
  find(
    '/driver_attribute_config/list_by_device_id',
    'driver_attribute_config',
    driverConfig.OfDevice,
    driverConfig.byDevice,
  ),
  list(
    '/driver_attribute_config/list',
    'driver_attribute_config',
    driverConfig.ConfigQuery,
    driverConfig.page,
  ),
  add(
    '/point_attribute_config/add',
    'point_attribute_config',
    pointConfig.AddConfig,
    pointConfig.add,
  ),
  update(
    '/point_attribute_config/update',
    'point_attribute_config',
    pointConfig.UpdateConfig,
    pointConfig.update,
  ),
  remove('/point_attribute_config/delete', 'point_attribute_config', pointConfig.remove),
  byId('/point_attribute_config/get_by_id', 'point_attribute_config', pointConfig.byId),
  get(
    '/point_attribute_config/get_by_attribute_id_and_device_id_and_point_id',
    { ...read('point_attribute_config:get'), input: pointConfig.OfDevicePointAndAttribute },
    pointConfig.byDevicePointAndAttribute,
  ),
  find(
    '/point_attribute_config/list_by_device_id_and_point_id',
    'point_attribute_config',
    pointConfig.OfDeviceAndPoint,
    pointConfig.byDevice,
  ),
  find(
    '/point_attribute_config/list_by_device_id',
    'point_attribute_config',
    pointConfig.OfDevice,
    pointConfig.byDevice,
  ),
  list(
    '/point_attribute_config/list',
    'point_attribute_config',
    pointConfig.ConfigQuery,
    pointConfig.page,
  ),

  // Command and event definitions
  add('/command/add', 'command', command.AddCommand, command.add),
  update('/command/update', 'command', command.UpdateCommand, command.update),
  remove('/command/delete', 'command', command.remove),
  byId('/command/get_by_id', 'command', command.byId),
  find('/command/list_by_profile_id', 'command', pointList.OfProfile, command.list),
  find('/command/list_by_device_id', 'command', pointList.OfDevice, command.list),
  list('/command/list', 'command', command.CommandQuery, command.page),
  add('/event/add', 'event', event.AddEvent, event.add),
  update('/event/update', 'event', event.UpdateEvent, event.update),
  remove('/event/delete', 'event', event.remove),
  byId('/event/get_by_id', 'event', event.byId),
  find('/event/list_by_profile_id', 'event', pointList.OfProfile, event.list),
  find('/event/list_by_device_id', 'event', pointList.OfDevice, event.list),
  list('/event/list', 'event', event.EventQuery, event.page),
];
