import { z } from 'zod';

import { Id } from '../core/id.ts';

/**
 * Every message of the platform: topic (RabbitMQ exchange) → payload (reference/bus-and-commands.md 4).
 * Times are milliseconds since the epoch, ids decimal strings, point values the text of the value.
 */

/** How far a value can be trusted; the numbers are what history stores. */
export const Quality = { GOOD: 0, UNCERTAIN: 1, BAD: 2 } as const;

const time = z.number().int().nonnegative();
const code = z.string().min(1).max(64);
const text = z.string().max(1024);
const pointText = z.string().max(4096);

export const AttributeType = z.enum([
  'STRING',
  'BYTE',
  'SHORT',
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BOOLEAN',
]);
export type AttributeType = z.infer<typeof AttributeType>;

const Attribute = z.object({
  code,
  name: z.string().min(1).max(64),
  type: AttributeType,
  defaultValue: z.string().max(256),
  description: text,
  secret: z.boolean().default(false),
});

const ValueBatch = z.object({
  tenantId: Id,
  driverId: Id,
  driverCode: code,
  node: code,
  values: z
    .array(
      z.object({
        deviceId: Id,
        pointId: Id,
        /** What the device said, as text. */
        rawValue: pointText,
        /** raw × multiple + base, as text exact for its type. */
        calValue: pointText,
        /** The number of calValue; null for text. */
        numValue: z.number().nullable(),
        originTime: time,
        /** Tells two values of the same millisecond apart. */
        seq: z.number().int().nonnegative(),
        quality: z.union([z.literal(0), z.literal(1), z.literal(2)]),
      }),
    )
    .min(1)
    .max(5000),
});

const PointCommand = z.object({
  schemaVersion: z.literal(1),
  commandId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  pointId: Id,
  type: z.enum(['READ', 'WRITE']),
  /** The value to write in the point's own unit (scaling is undone by the driver); null for READ. */
  value: pointText.nullable(),
  occurredAt: time,
  expireAt: time,
});

const PointCommandResult = z.object({
  schemaVersion: z.literal(1),
  commandId: z.uuid(),
  tenantId: Id,
  /** UNKNOWN: the device may or may not have done it. */
  status: z.enum(['SUCCESS', 'FAILED', 'EXPIRED', 'DUPLICATE', 'UNKNOWN']),
  responseValue: pointText.nullable(),
  /** What a read after the write said; null when there was none. */
  readBack: pointText.nullable(),
  errorCode: z.string().max(64),
  errorMessage: text,
  finishedAt: time,
});

export const EntityStatus = z.enum(['ONLINE', 'OFFLINE', 'MAINTAIN', 'FAULT']);
export type EntityStatus = z.infer<typeof EntityStatus>;

const DriverState = z.object({
  driverCode: code,
  node: code,
  at: time,
  leaseMs: z.number().int().positive(),
  devices: z
    .array(z.object({ tenantId: Id, deviceId: Id, status: EntityStatus, description: text }))
    .max(10_000),
});

const DriverRegistration = z.object({
  driverCode: code,
  driverName: z.string().min(1).max(64),
  driverType: z.enum(['DRIVER_CLIENT', 'DRIVER_SERVER', 'GATEWAY', 'CONNECT']),
  serviceName: z.string().min(1).max(64),
  serviceHost: z.string().max(64),
  node: code,
  driverAttributes: z.array(Attribute).max(64),
  pointAttributes: z.array(Attribute).max(64),
});

/** A device as its driver needs it: configs by attribute code, defaults already filled in. */
const DeviceMetadata = z.object({
  id: Id,
  name: z.string(),
  enabled: z.boolean(),
  configs: z.record(z.string(), z.string()),
  points: z
    .array(
      z.object({
        id: Id,
        name: z.string(),
        code: z.string(),
        type: AttributeType,
        rw: z.enum(['READ_ONLY', 'WRITE_ONLY', 'READ_WRITE']),
        base: z.number(),
        multiple: z.number(),
        decimals: z.number().int(),
        unit: z.string(),
        configs: z.record(z.string(), z.string()),
      }),
    )
    .max(10_000),
});

const Metadata = z.discriminatedUnion('kind', [
  /** All devices of this driver have been sent; answers a registration of `node`. */
  z.object({
    kind: z.literal('registered'),
    driverCode: code,
    node: code,
    devices: z.number().int(),
  }),
  z.object({
    kind: z.literal('device'),
    driverCode: code,
    tenantId: Id,
    driverId: Id,
    device: DeviceMetadata,
  }),
  z.object({ kind: z.literal('removed'), driverCode: code, tenantId: Id, deviceId: Id }),
]);

const EventReport = z.object({
  schemaVersion: z.literal(1),
  recordId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  eventCode: z.string().max(128),
  eventType: z.enum(['INFO', 'ALERT', 'FAULT', 'LIFECYCLE']),
  eventLevel: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  params: z.record(z.string(), z.string()),
  message: text,
  occurTime: time,
});

const AlarmReport = z.object({
  tenantId: Id,
  target: z.enum(['POINT', 'DEVICE', 'DRIVER', 'EVENT']),
  entityId: Id,
  type: z.enum(['RULE', 'OFFLINE', 'FAULT', 'STATE_FLIP', 'REPORT']),
  source: z.enum([
    'RULE',
    'STATE_TIMEOUT',
    'DEVICE_REPORT',
    'DRIVER_REPORT',
    'SYSTEM',
    'EVENT_REPORT',
  ]),
  message: text,
  occurTime: time,
});

const NotifyTask = z.object({ tenantId: Id, notifyHistoryId: Id, retryCount: z.number().int() });

/**
 * `confirm` says when a publish may be called done on the in-process bus, which keeps nothing over a
 * crash: `handled` waits until the consumer has acknowledged (stored) the message, `accepted` does not.
 */
export const topics = {
  'svc.e.value': { payload: ValueBatch, confirm: 'handled' },
  'svc.e.point_command': { payload: PointCommand, confirm: 'accepted' },
  'svc.e.point_command_result': { payload: PointCommandResult, confirm: 'handled' },
  'svc.e.state': { payload: DriverState, confirm: 'accepted' },
  'svc.e.driver_register': { payload: DriverRegistration, confirm: 'accepted' },
  'svc.e.metadata': { payload: Metadata, confirm: 'accepted' },
  'svc.e.event': { payload: EventReport, confirm: 'handled' },
  'svc.e.alarm': { payload: AlarmReport, confirm: 'handled' },
  'svc.e.notify': { payload: NotifyTask, confirm: 'accepted' },
} as const satisfies Record<string, { payload: z.ZodType; confirm: 'handled' | 'accepted' }>;

export type TopicName = keyof typeof topics;
export type Payload<N extends TopicName> = z.infer<(typeof topics)[N]['payload']>;
