import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { DeviceQuery } from '../../manager/device/device.ts';
import { DriverQuery } from '../../manager/driver/driver.ts';
import { OfDevice, OfDriver, OfProfile } from '../../manager/entity/of.ts';
import * as devicePresence from '../../manager/presence/presence.ts';
import * as deviceStatus from '../../manager/presence/status.ts';

/** What is online: devices and drivers. */
export const routes: readonly Route[] = [
  post(
    '/device/status/list',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of a page of devices',
      input: DeviceQuery,
      output: deviceStatus.Statuses,
    },
    deviceStatus.devices,
  ),
  post(
    '/device/status/list_detail',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of a page of devices, with why and since when',
      reason: 'As device/status/list, with why and since when a device is away',
      input: DeviceQuery,
      output: z.record(z.string(), devicePresence.DevicePresence),
    },
    devicePresence.devices,
  ),
  get(
    '/device/status/get_by_device_id',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers the status of a device with what its driver says of it, why and since when',
      reason: 'Why a device is not served, in the words of its driver',
      input: OfDevice,
      output: devicePresence.DevicePresence,
    },
    devicePresence.byDevice,
  ),
  get(
    '/device/status/list_by_driver_id',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of the devices of a driver',
      input: OfDriver,
      output: deviceStatus.Statuses,
    },
    deviceStatus.byDriver,
  ),
  get(
    '/device/status/list_by_profile_id',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of the devices of a profile',
      input: OfProfile,
      output: deviceStatus.Statuses,
    },
    deviceStatus.byProfile,
  ),
  post(
    '/driver/status/list',
    {
      needs: 'driver_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of a page of drivers',
      input: DriverQuery,
      output: deviceStatus.Statuses,
    },
    deviceStatus.drivers,
  ),
  get(
    '/driver/status/get_device_online_by_driver_id',
    {
      needs: 'driver_status:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Counts the devices of a driver that are online',
      input: OfDriver,
      output: z.number().int(),
    },
    deviceStatus.onlineCount,
  ),
  get(
    '/driver/status/get_device_offline_by_driver_id',
    {
      needs: 'driver_status:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Counts the devices of a driver that are not online',
      input: OfDriver,
      output: z.number().int(),
    },
    deviceStatus.offlineCount,
  ),
];
