import { z } from 'zod';

import { DeviceQuery } from '../manager/device/device.ts';
import * as devicePresence from '../manager/device/presence.ts';
import * as deviceStatus from '../manager/device/status.ts';
import { DriverQuery } from '../manager/driver/driver.ts';
import { get, post, type Route } from '../route.ts';
import * as change from './change/change.ts';
import * as commandCall from './command/call/call.ts';
import * as commandHistory from './command/call/history.ts';
import * as pointCommand from './command/point-command.ts';
import * as receipt from './command/receipt.ts';
import { routes as deadLetters } from './dead-letter/routes.ts';
import { routes as events } from './event/routes.ts';
import { systemHealth } from './system-health.ts';
import { routes as values } from './value/routes.ts';

const Nothing = z.object({}).transform((): Record<string, never> => ({}));

/** The endpoint table of the data center (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  ...values,
  post(
    '/point_command/read',
    {
      needs: 'point_command:read',
      scope: 'svc:read-device',
      risk: 'ask',
      summary: 'Asks a device for a value; answers the command id',
      input: pointCommand.ReadCommand,
    },
    pointCommand.read,
  ),
  post(
    '/point_command/write',
    {
      needs: 'point_command:write',
      scope: 'interactive',
      risk: 'device',
      summary: 'Writes a value to a device; answers the command id',
      input: pointCommand.WriteCommand,
    },
    pointCommand.write,
  ),
  get(
    '/point_command_history/get_by_command_id',
    {
      needs: 'point_command_history:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what became of a command',
      input: receipt.ByCommandId,
    },
    receipt.byCommandId,
  ),
  post(
    '/point_command_history/list',
    {
      needs: 'point_command_history:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers issued commands, newest first',
      input: receipt.ReceiptQuery,
    },
    receipt.page,
  ),
  post(
    '/command_history/call',
    {
      needs: 'command_history:add',
      scope: 'interactive',
      risk: 'device',
      summary: 'Calls a custom command of a device; answers the record id',
      input: commandCall.CallCommand,
    },
    commandCall.call,
  ),
  get(
    '/command_history/get_by_record_id',
    {
      needs: 'command_history:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what became of a call',
      input: commandHistory.ByRecordId,
    },
    commandHistory.byRecordId,
  ),
  post(
    '/command_history/list',
    {
      needs: 'command_history:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers calls of custom commands, newest first',
      input: commandHistory.CommandRecordQuery,
    },
    commandHistory.page,
  ),
  post(
    '/device/status/list',
    {
      needs: 'device_status:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers status by id of a page of devices',
      input: DeviceQuery,
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
      input: DeviceQuery,
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
      input: devicePresence.OfDevice,
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
      input: deviceStatus.OfDriver,
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
      input: deviceStatus.OfProfile,
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
      input: deviceStatus.OfDriver,
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
      input: deviceStatus.OfDriver,
    },
    deviceStatus.offlineCount,
  ),
  get(
    '/dashboard/system/health',
    {
      needs: 'dashboard:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers whether database and bus work and how much is online',
      input: Nothing,
    },
    systemHealth,
  ),
  post(
    '/change/list',
    {
      needs: 'change:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers what was configured, proposed, decided and written, newest first',
      input: change.ChangeQuery,
    },
    change.list,
  ),
  ...events,
  ...deadLetters,
];
