import { z } from 'zod';

import { MAX_OBJECTS } from '../../bus/topic/registered-topic.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import type { OfDevice } from '../entity/of.ts';
import { objectOf } from '../object/objects.ts';
import { pointsByPath } from './points-by-path.ts';
import { type Instance, isPoint, isSuggested, pathOf, reportedIn } from './reported.ts';

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
  inOneTrip(app.db, tenantId, async (q) => {
    const [, stored, pointIds] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      registrationOf(q, tenantId, deviceId),
      pointsByPath(q, tenantId, deviceId),
    ]);
    const { instances, empty } = reportedIn(stored?.objects ?? '');
    return {
      deviceId,
      endpoint: stored?.endpoint ?? '',
      version: stored?.version ?? '',
      registerTime: stored?.registerTime.toISOString() ?? null,
      objects: [
        ...instances.map((instance) => answerOf(instance, pointIds)),
        ...empty.map((objectId) => ({
          objectId,
          instanceId: null,
          objectName: objectOf(objectId)?.name ?? '',
          resources: [],
        })),
      ],
      leftOut: stored?.leftOut ?? 0,
    };
  });

function answerOf(instance: Instance, pointIds: ReadonlyMap<string, string[]>) {
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
