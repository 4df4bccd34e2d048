import { z } from 'zod';

import { Id } from '../../src/kernel/input/id.ts';
import { byDevice } from '../../src/manager/registration/registered.ts';
import { Reported, Unit } from '../shape/text.ts';
import { defineResource } from './define.ts';
import { listOf, visibleList } from './list.ts';

const PERMISSION = 'svc-center-manager:device:get';

export const registrationResources = [
  defineResource({
    uri: 'svc://device/{deviceId}/registration',
    name: 'device-registration',
    title: 'What a device registered',
    domain: 'Device',
    description:
      'The objects that a device registered at its driver, by the public object registry, and the points proposed for its profile; a person makes the profile in the console.',
    permission: PERMISSION,
    params: z.strictObject({ deviceId: Id.describe('Device id') }),
    output: listOf(
      z.object({
        object: z.string().describe('objectId/instanceId'),
        objectName: z.string().describe('Empty: not in the registry'),
        proposed: z.array(
          z.object({
            path: z.string(),
            resourceName: z.string(),
            type: z.string(),
            operations: z.string().describe('R read, W write'),
            unit: Unit.optional(),
            there: z.boolean().describe('The device has such a point'),
          }),
        ),
      }),
    ).extend({
      deviceId: z.string(),
      endpoint: Reported(255),
      registeredAt: z.string().nullable().describe('null: never registered'),
    }),
    async read(app, caller, { deviceId }) {
      const said = await byDevice(app, caller, { deviceId });
      const records = said.objects.map(({ objectId, instanceId, objectName, resources }) => ({
        object: instanceId === null ? String(objectId) : `${objectId}/${instanceId}`,
        objectName,
        proposed: resources
          .filter(({ suggested }) => suggested)
          .map(({ path, resourceName, type, operations, unit, pointIds }) => ({
            path,
            resourceName,
            type,
            operations,
            ...(unit && { unit }),
            there: pointIds.length > 0,
          })),
      }));
      return {
        deviceId,
        endpoint: said.endpoint,
        registeredAt: said.registerTime,
        ...visibleList(said.objects.length + said.leftOut, records),
      };
    },
  }),
];
