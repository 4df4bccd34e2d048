import { z } from 'zod';

import { lwm2mDevice } from '../../lwm2m/device.ts';
import { waitingEndpoint } from '../../lwm2m/waiting.ts';
import { fresh } from '../../world/fresh-name.ts';
import type { Site } from '../site.ts';
import type { Add, Examples, Input } from './example.ts';

const Imports = z.array(z.object({ importId: z.string(), status: z.string() }));

export function managerExamples({ own, mine, platform, world, clock }: Site, add: Add): Examples {
  const { driver: driverId, profile: profileId, device: deviceId } = own;
  const config = (of: string, more: Input = {}) => ({
    [`manager/${of}_attribute_config/add`]: async () => ({
      input: {
        ...more,
        deviceId,
        attributeId: await add(`manager/${of}_attribute/add`),
        configValue: '1',
      },
    }),
  });
  // What the driver declares itself cannot be changed.
  const update = (noun: string) => ({
    [`manager/${noun}/update`]: async () => ({
      input: { id: await add(`manager/${noun}/add`), remark: fresh('remark') },
    }),
  });
  // A tenant runs one import at a time, and nothing of this site runs by itself.
  const noneRunning = async () => {
    const path = '/api/v3/manager/device/import';
    for (const { importId, status } of Imports.parse(await mine.data(`${path}/list`, {})))
      if (status === 'RUNNING') await mine.data(`${path}/cancel`, { importId });
  };
  /** A device of the LwM2M driver that registered two objects. */
  const said = async () => {
    const { deviceId: id } = await lwm2mDevice(mine, {});
    const device = { tenantId: mine.tenantId, deviceId: id, endpoint: 'urn:dev:1' };
    const objects = ['3303/0', '3308/0'];
    const more = { version: '1.1', at: clock.now(), objects, leftOut: 0 };
    const driverCode = 'Lwm2mDriver';
    const message = { driverCode, node: 'test', devices: [{ ...device, ...more }] };
    await world.bus.handled('svc.e.registered', message, driverCode);
    return { input: { deviceId: id } };
  };
  const imported = async () => ({
    input: { importId: await add('manager/device/import/run') },
  });
  return {
    'manager/driver/get_by_service_name': async () => ({
      input: { serviceName: 'svc-driver-virtual' },
    }),
    'manager/device/registration/get_by_device_id': said,
    'manager/device/registration/propose_profile': said,
    'manager/device/registration/make_profile': said,
    'manager/device/waiting/assign': async () => {
      const input = { id: await waitingEndpoint(world, platform), tenantId: mine.tenantId };
      return { input, session: platform };
    },
    'manager/device/waiting/claim': async () => {
      const id = await waitingEndpoint(world, platform);
      await platform.data('/api/v3/manager/device/waiting/assign', { id, tenantId: mine.tenantId });
      return { input: { id, deviceName: fresh('claimed') } };
    },
    'manager/device/import': async () => ({
      input: { driverId, profileId, csv: `deviceName\r\n${fresh('device')}` },
    }),
    'manager/device/import/preview': async () => ({
      input: { driverId, profileId, csv: `deviceName\r\n${fresh('device')}` },
    }),
    'manager/device/import/run': async () => {
      await noneRunning();
      return { input: { driverId, profileId, csv: 'deviceName' } };
    },
    'manager/device/import/get': imported,
    'manager/device/import/report': imported,
    'manager/device/import/cancel': imported,
    ...update('driver_attribute'),
    ...update('point_attribute'),
    ...config('driver'),
    ...config('point', { pointId: own.point }),
    ...config('command', { commandId: own.command }),
    ...config('event', { eventId: own.event }),
    'manager/group_bind/add': async () => ({
      input: {
        entityTypeFlag: 'DEVICE',
        groupId: own.group,
        entityId: await add('manager/device/add'),
      },
    }),
    'manager/label_bind/add': async () => ({
      input: {
        entityTypeFlag: 'DEVICE',
        labelId: await add('manager/label/add'),
        entityId: deviceId,
      },
    }),
  };
}
