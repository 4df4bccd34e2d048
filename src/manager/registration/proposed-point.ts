import { z } from 'zod';

import { nameIn } from '../../kernel/entity/answer.ts';
import { isFree, NAME_WORDS } from '../../kernel/sentence/free-text.ts';
import { RwFlag, ValueType } from '../entity/value-type.ts';
import type { ResourceDefinition } from '../object/definition.ts';
import { type Instance, pathOf } from './reported.ts';

/** Length of the name of a point. */
const MAX_NAME = 64;

const TYPES = {
  STRING: 'STRING',
  INTEGER: 'LONG',
  UNSIGNED: 'LONG',
  FLOAT: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
  // Bytes are base64 text.
  OPAQUE: 'STRING',
  // Seconds since 1970.
  TIME: 'LONG',
  LINK: 'STRING',
  // Executed by writing `true`.
  NONE: 'BOOLEAN',
} as const satisfies Record<ResourceDefinition['type'], keyof typeof ValueType>;

const ACCESS = {
  R: 'READ_ONLY',
  W: 'WRITE_ONLY',
  RW: 'READ_WRITE',
  E: 'WRITE_ONLY',
} as const satisfies Record<ResourceDefinition['operations'], keyof typeof RwFlag>;

export const ProposedPoint = z.object({
  path: z.string().meta({ examples: ['/3303/0/5700'] }),
  pointName: z.string().meta({ examples: ['Temperature Sensor Value'] }),
  pointCode: z.string().meta({ examples: ['3303-0-5700'] }),
  pointTypeFlag: nameIn(ValueType),
  rwFlag: nameIn(RwFlag),
  unit: z.string().meta({ examples: ['%'] }),
  minValue: z.number().nullable().describe('Limit of writes; null: none'),
  maxValue: z.number().nullable().describe('Limit of writes; null: none'),
  attributes: z
    .record(z.string(), z.string())
    .describe('Configs of the point by the code of their attribute')
    .meta({ examples: [{ objectId: '3303', objectInstanceId: '0', resourceId: '5700' }] }),
});
export type ProposedPoint = z.output<typeof ProposedPoint>;

/** The point for a resource of an object that a device registered. */
export function pointFor(instance: Instance, resource: ResourceDefinition): ProposedPoint {
  const { objectId, instanceId } = instance;
  const { id, type, operations, unit, range } = resource;
  const isLimited = range !== null && (operations === 'RW' || operations === 'W');
  return {
    path: pathOf(objectId, instanceId, id),
    pointName: nameFor(instance, resource.name).slice(0, MAX_NAME).trim(),
    pointCode: `${objectId}-${instanceId}-${id}`,
    pointTypeFlag: TYPES[type],
    rwFlag: ACCESS[operations],
    unit,
    minValue: isLimited ? range[0] : null,
    maxValue: isLimited ? range[1] : null,
    attributes: {
      objectId: String(objectId),
      objectInstanceId: String(instanceId),
      resourceId: String(id),
      ...(type === 'OPAQUE' && { resourceType: 'opaque' }),
    },
  };
}

/**
 * The names of the object and of its resource, without the same words twice. A name must not look like a sentence:
 * proposals of an agent that read it would count as tainted.
 */
function nameFor({ objectId, instanceId, name }: Instance, resource: string): string {
  const number = instanceId === 0 ? '' : ` ${instanceId}`;
  const whole = resource.startsWith(name) ? `${resource}${number}` : `${name}${number} ${resource}`;
  return isFree(whole, NAME_WORDS) ? `${resource} ${objectId}/${instanceId}` : whole;
}
