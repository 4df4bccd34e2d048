import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { MAX_OBJECTS } from '../../bus/registered-topic.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { AnswerId, IsoTime } from '../../entity/answer.ts';
import { rowOf } from '../../entity/row.ts';
import type { OfDevice } from '../device/device.ts';
import { settingsFor } from '../driver/device-settings.ts';
import { type Instance, isPoint, isSuggested, pathOf, saidIn } from './said.ts';

const Resource = z.object({
  resourceId: z.number().int(),
  path: z.string().meta({ examples: ['/3303/0/5700'] }),
  resourceName: z.string().meta({ examples: ['Sensor Value'] }),
  operations: z.enum(['R', 'W', 'RW', 'E']).describe('E: executed'),
  type: z.enum([
    'STRING',
    'INTEGER',
    'UNSIGNED',
    'FLOAT',
    'BOOLEAN',
    'OPAQUE',
    'TIME',
    'LINK',
    'NONE',
  ]),
  unit: z.string().describe('Empty where the registry names none'),
  minValue: z.number().nullable(),
  maxValue: z.number().nullable(),
  mandatory: z.boolean().describe('Every instance of the object has it'),
  possible: z.boolean().describe('A point can hold it: it has one value'),
  suggested: z.boolean().describe('A point is proposed for it'),
  pointIds: z.array(AnswerId).describe('Points of the device that are there already'),
});

export const Registered = z.object({
  deviceId: AnswerId,
  endpoint: z.string().describe('Empty for a device that never registered'),
  version: z
    .string()
    .describe('Of LwM2M, as the device says')
    .meta({ examples: ['1.1'] }),
  registerTime: IsoTime.nullable().describe('When it registered these objects; null: never'),
  objects: z
    .array(
      z.object({
        objectId: z.number().int(),
        instanceId: z.number().int().nullable().describe('null: the object has no instance'),
        objectName: z.string().describe('Empty for an object that the registry does not know'),
        resources: z.array(Resource).describe('What the registry says it has or may have'),
      }),
    )
    .describe(`At most ${MAX_OBJECTS}`),
  leftOut: z.number().int().describe('Objects beyond these'),
});
type Registered = z.output<typeof Registered>;

/** What was stored of a device; null for one that never registered. */
export const registrationOf = (q: Queries, tenantId: string, deviceId: string) =>
  q
    .selectFrom('svc_device_registration')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .executeTakeFirst();

/** What a device registered, joined with the public registry and with its points. Throws NotFound. */
export const byDevice: Operation<OfDevice, Registered> = (app, { tenantId }, { deviceId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const device = await rowOf(q, 'svc_device', tenantId, deviceId);
    const stored = await registrationOf(q, tenantId, deviceId);
    if (!stored)
      return {
        deviceId,
        endpoint: '',
        version: '',
        registerTime: null,
        objects: [],
        leftOut: 0,
      };
    const pointIds = await pointsByPath(q, tenantId, device);
    const { instances, empty } = saidIn(stored.objects);
    return {
      deviceId,
      endpoint: stored.endpoint,
      version: stored.version,
      registerTime: stored.registerTime.toISOString(),
      objects: [
        ...instances.map((instance) => objectOf(instance, pointIds)),
        ...empty.map((objectId) => ({
          objectId,
          instanceId: null,
          objectName: saidIn(`${objectId}/0`).instances[0]?.name ?? '',
          resources: [],
        })),
      ],
      leftOut: stored.leftOut,
    };
  });

function objectOf(instance: Instance, pointIds: ReadonlyMap<string, string[]>) {
  const { objectId, instanceId, name: objectName } = instance;
  return {
    objectId,
    instanceId,
    objectName,
    resources: instance.resources.map((resource) => {
      const path = pathOf(objectId, instanceId, resource.id);
      return {
        resourceId: resource.id,
        path,
        resourceName: resource.name,
        operations: resource.operations,
        type: resource.type,
        unit: resource.unit,
        minValue: resource.range?.[0] ?? null,
        maxValue: resource.range?.[1] ?? null,
        mandatory: resource.isMandatory,
        possible: isPoint(resource),
        suggested: isSuggested(instance, resource),
        pointIds: pointIds.get(path) ?? [],
      };
    }),
  };
}

/** Ids of the points of a device by the path that they have on it. */
async function pointsByPath(
  q: Queries,
  tenantId: string,
  device: { id: string; driverId: string; profileId: string },
): Promise<Map<string, string[]>> {
  const points = await q
    .selectFrom('svc_point')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', device.profileId)
    .orderBy('id')
    .execute();
  const settings = await settingsFor(q, tenantId, 'point', [device]);
  const found = new Map<string, string[]>();
  for (const { id } of points) {
    const { objectId, objectInstanceId, resourceId } = settings(device, id);
    const path = `/${objectId}/${objectInstanceId}/${resourceId}`;
    found.set(path, [...(found.get(path) ?? []), id]);
  }
  return found;
}
