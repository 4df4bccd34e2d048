import type { JsonSchema } from '../../core/input/json-schema.ts';
import type { Route } from '../../route.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const maybe = { type: ['string', 'null'] } as const;

const object = (properties: JsonSchema, description?: string): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.keys(properties),
  properties,
});

const page = (record: unknown): JsonSchema =>
  object({
    records: { type: 'array', items: record },
    total: { type: 'integer' },
    size: { type: 'integer' },
    current: { type: 'integer' },
    pages: { type: 'integer' },
  });

/** The fields of every stored entity (docs/specification/objects.md, Common fields). */
const entity = object({
  id: text,
  remark: text,
  creatorId: text,
  creatorName: text,
  createTime: time,
  operatorId: text,
  operatorName: text,
  operateTime: time,
});

const receipt = object(
  {
    commandId: { type: 'string', format: 'uuid' },
    type: { type: 'string', enum: ['READ', 'WRITE'] },
    deviceId: text,
    deviceName: text,
    pointId: text,
    pointName: text,
    unit: text,
    outcome: { enum: ['UNDERWAY', 'EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN'] },
    done: { type: 'boolean', description: 'Only true means done' },
    say: { type: 'string', description: 'All that is known, in one sentence' },
    requestValue: maybe,
    responseValue: maybe,
    beforeValue: {
      ...maybe,
      description: 'What the point held when the write was sent; null where that is not known',
    },
    status: { type: 'string', description: 'PENDING and SENT are not the end' },
    verification: { type: 'string', description: 'What reading a write back said' },
    readBackValue: maybe,
    errorCode: text,
    errorMessage: text,
    source: text,
    actionId: maybe,
    occurTime: time,
    sendTime: maybe,
    finishTime: maybe,
    expireTime: time,
    seen: {
      type: ['object', 'null'],
      properties: { value: text, time },
      description: 'The reading that bears on a write that ended UNKNOWN; proof once settled',
    },
    settledTime: maybe,
    openUntil: { ...maybe, description: 'Until when a reading can prove an unknown write' },
    reconfiguredTime: {
      ...maybe,
      description: 'When the device or point was configured anew after an unknown write was sent',
    },
    wasUnknown: {
      type: ['object', 'null'],
      properties: { errorCode: text, until: time },
      description: 'Why a write that a reading proved was UNKNOWN, and until when',
    },
  },
  'What became of a command: trust outcome and say, not the absence of an error',
);

const attachment = object({
  id: text,
  conversationId: text,
  fileName: text,
  contentType: { type: 'string', description: 'Found in the bytes' },
  size: { type: 'integer', description: 'Bytes' },
  sha256: text,
  filePath: { type: 'string', description: 'Below the storage directory' },
  remark: text,
  creatorId: text,
  creatorName: text,
  createTime: time,
  operatorId: text,
  operatorName: text,
  operateTime: time,
});

const pointValue = object({
  deviceId: text,
  pointId: text,
  rawValue: text,
  calValue: text,
  numValue: { type: ['number', 'null'] },
  quality: maybe,
  createTime: { ...maybe, description: 'When it was measured' },
});

const envelope = object({
  ok: { type: 'boolean' },
  code: { type: 'string', examples: ['R200'] },
  message: text,
});

export const schemas = {
  Envelope: envelope,
  Failure: {
    allOf: [{ $ref: '#/components/schemas/Envelope' }],
    properties: { ok: { const: false }, data: { type: 'object' } },
    description: 'The code says the kind (R404 …); data.fields names what was wrong with a field',
  },
  Attachment: attachment,
  Entity: entity,
  PointValue: pointValue,
  Receipt: receipt,
} satisfies Record<string, JsonSchema>;

const ref = (name: keyof typeof schemas): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Answers other than an entity or a list of entities, by the route's path below the API. */
const special: Record<string, JsonSchema> = {
  'agentic/attachment/upload': ref('Attachment'),
  'agentic/attachment/list': { type: 'array', items: ref('Attachment') },
  'auth/token/salt': { type: 'string', format: 'uuid' },
  'auth/token/generate': { type: 'string', description: 'A signed token of 12 hours' },
  'data/point_command/read': { type: 'string', format: 'uuid', description: 'The command id' },
  'data/point_command/write': { type: 'string', format: 'uuid', description: 'The command id' },
  'data/point_command_history/get_by_command_id': ref('Receipt'),
  'data/point_command_history/list': page(ref('Receipt')),
  'data/point_value/latest': page(ref('PointValue')),
  'data/point_value/list': page(ref('PointValue')),
};

/** Schema of `data` in the answer of a route; null when it is not specified. */
export function dataOf(center: string, { method, path, needs, code }: Route): JsonSchema | null {
  const known = special[`${center}${path}`];
  if (known) return known;
  if (code === 'R201') return { type: 'string', description: 'The new id' };
  if (center !== 'manager') return null;
  if (needs.endsWith(':get') && path.includes('/get_by')) return ref('Entity');
  if (method === 'post' && path.endsWith('/list') && !path.startsWith('/dictionary/'))
    return page(ref('Entity'));
  return null;
}
