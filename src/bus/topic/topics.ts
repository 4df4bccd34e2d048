import { z } from 'zod';

import { DriverRegistration, DriverState, Metadata } from './driver-topics.ts';
import {
  FirmwarePortion,
  FirmwareReport,
  FirmwareRequest,
  FirmwareTask,
} from './firmware-topics.ts';
import { Registered } from './registered-topic.ts';
import {
  code,
  EventLevel,
  EventType,
  Id,
  MAX_LEASE_MS,
  pointText,
  text,
  time,
} from './topic-fields.ts';
import { TraceAnswer, TraceRequest } from './trace-topic.ts';

export { AttributeType, EntityStatus } from './topic-fields.ts';

/**
 * Every message of the platform: topic (RabbitMQ exchange) → payload (docs/specification/bus.md, Exchanges).
 * Times are milliseconds since the epoch, ids decimal strings, point values the text of the value.
 */

/** How far a value can be trusted; history stores the numbers. */
export const Quality = { GOOD: 0, UNCERTAIN: 1, BAD: 2 } as const;

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
        /** Value as the device sent it, as text. */
        rawValue: pointText,
        /** raw × multiple + base, as text exact for its type. */
        calValue: pointText,
        /** The number of calValue; null for text. */
        numValue: z.number().nullable(),
        originTime: time,
        /** Distinguishes values of the same millisecond. */
        seq: z.number().int().nonnegative(),
        quality: z.literal([0, 1, 2]),
        /** Why the value is missing or in doubt, where the driver knows. */
        issue: z.string().max(256).optional(),
        /** The driver had to drop so many values of the point from this one on, of which this is the mark. */
        dropped: z.number().int().positive().optional(),
      }),
    )
    .min(1)
    .max(5000),
});

/** Points, as `device:point`, whose latest value may have changed: what it is, the database says. */
const NewLatest = z.object({
  tenantId: Id,
  points: z
    .array(z.string().regex(/^[1-9]\d{0,18}:[1-9]\d{0,18}$/))
    .min(1)
    .max(5000),
});

/**
 * Validity left when the command was published. Drivers count from it: `expireAt` is by the clock of the
 * centers, and the clock of a driver's host may differ.
 */
const remainingMs = z.number().int().positive().max(MAX_LEASE_MS);

const PointCommand = z.object({
  schemaVersion: z.literal(1),
  commandId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  pointId: Id,
  type: z.enum(['READ', 'WRITE']),
  /** Value to write in the point's own unit (the driver undoes the scaling); null for READ. */
  value: pointText.nullable(),
  /** Digest of a write's checked effect (effect.ts); drivers refuse a write without it or with another. */
  effect: z.string().max(64).nullish(),
  occurredAt: time,
  expireAt: time,
  remainingMs,
});

/**
 * UNKNOWN: the device may or may not have executed the command. WAITING is not the end: the driver holds the command
 * until the device, which sleeps, wakes.
 */
const ResultStatus = z.enum(['SUCCESS', 'FAILED', 'EXPIRED', 'DUPLICATE', 'UNKNOWN', 'WAITING']);
/** Of a command that waited: time from its turn at the device to this result; absent for any other. */
const askedMs = z.number().int().nonnegative().max(MAX_LEASE_MS).optional();

const PointCommandResult = z.object({
  schemaVersion: z.literal(1),
  commandId: z.uuid(),
  tenantId: Id,
  status: ResultStatus,
  askedMs,
  responseValue: pointText.nullable(),
  /** Value read back after the write; null when none was read. */
  readBack: pointText.nullable(),
  errorCode: z.string().max(64),
  errorMessage: text,
  finishedAt: time,
});

const params = z
  .record(z.string().max(64), pointText)
  .refine((given) => Object.keys(given).length <= 64, 'at most 64 parameters');

/** A call of a custom command; its parameters are checked and complete. */
const CommandCall = z.object({
  schemaVersion: z.literal(1),
  recordId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  commandId: Id,
  commandCode: z.string().max(128),
  paramValues: params,
  occurredAt: time,
  expireAt: time,
  remainingMs,
});

const CommandCallResult = z.object({
  schemaVersion: z.literal(1),
  recordId: z.uuid(),
  tenantId: Id,
  status: ResultStatus,
  askedMs,
  resultValues: params,
  errorCode: z.string().max(64),
  errorMessage: text,
  finishedAt: time,
});

const EventReport = z.object({
  schemaVersion: z.literal(1),
  recordId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  eventCode: z.string().max(128),
  eventType: EventType,
  eventLevel: EventLevel,
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
  /** Reports with one reference are one alarm; its confirmation goes back to the driver. */
  reference: z.string().max(64).optional(),
});

/** Something about identities of a tenant that people should hear of. */
const IdentityEvent = z.object({
  tenantId: Id,
  kind: z.enum(['AGENT_TRIED', 'LOGIN_GUESSED']),
  message: text,
  occurTime: time,
});

const NotifyTask = z.object({ tenantId: Id, notifyHistoryId: Id, channelId: Id });

/**
 * How a broker keeps the queues of a topic; sizes bound every queue (docs/specification/limits.md). A full
 * queue refuses new messages (the publisher waits, then fails) or gives up its oldest.
 */
type Keeping = {
  /** Queue declared before its first consumer, so that early messages are not lost. */
  queue?: `svc.q.${string}`;
  whenFull?: 'refuse' | 'forget';
  /** Messages older than this leave the queue as dead letters. */
  maxAgeMs?: number;
  /** A queue without consumers is removed after this time. */
  idleMs?: number;
  /** Publishers and consumers refuse larger bodies. */
  maxBytes?: number;
};

/**
 * `confirm` defines what has happened when a publish resolves. `handled`: the message survives a crash. The
 * in-process bus keeps nothing over a crash, so its consumer has acknowledged (stored) the message;
 * RabbitMQ has it in a durable queue on disk. `accepted`: the bus has taken the message.
 */
type Topic = { payload: z.ZodType; confirm: 'handled' | 'accepted'; keeping?: Keeping };

const BRIEF = { whenFull: 'forget', maxAgeMs: 15_000, idleMs: 30_000 } as const;

export const topics = {
  'svc.e.value': { payload: ValueBatch, confirm: 'handled', keeping: { queue: 'svc.q.value' } },
  // One queue per process that follows values; the next value makes up for a lost notice.
  'svc.e.latest': {
    payload: NewLatest,
    confirm: 'accepted',
    keeping: { whenFull: 'forget', idleMs: 30_000 },
  },
  // Most commands live 10 s; the queue of a driver that is gone is removed, so that publishing to it fails.
  'svc.e.point_command': {
    payload: PointCommand,
    confirm: 'accepted',
    keeping: { idleMs: 30_000 },
  },
  'svc.e.point_command_result': {
    payload: PointCommandResult,
    confirm: 'handled',
    keeping: { queue: 'svc.q.point_command_result' },
  },
  'svc.e.command': { payload: CommandCall, confirm: 'accepted', keeping: { idleMs: 30_000 } },
  'svc.e.command_result': {
    payload: CommandCallResult,
    confirm: 'handled',
    keeping: { queue: 'svc.q.command_result' },
  },
  'svc.e.state': {
    payload: DriverState,
    confirm: 'accepted',
    keeping: { whenFull: 'forget', maxAgeMs: 45_000 },
  },
  'svc.e.driver_register': { payload: DriverRegistration, confirm: 'accepted' },
  'svc.e.registered': {
    payload: Registered,
    confirm: 'handled',
    keeping: { queue: 'svc.q.registered' },
  },
  // One queue per driver node: unread messages of a lost node must not hold up the others.
  'svc.e.metadata': {
    payload: Metadata,
    confirm: 'accepted',
    keeping: { whenFull: 'forget', idleMs: 3_600_000, maxBytes: 16 * 1024 * 1024 },
  },
  // Sent again by the center until the update has ended.
  'svc.e.firmware': { payload: FirmwareTask, confirm: 'accepted', keeping: { idleMs: 30_000 } },
  'svc.e.firmware_report': {
    payload: FirmwareReport,
    confirm: 'handled',
    keeping: { queue: 'svc.q.firmware_report' },
  },
  'svc.e.firmware_request': {
    payload: FirmwareRequest,
    confirm: 'accepted',
    keeping: { queue: 'svc.q.firmware_request', whenFull: 'forget', maxAgeMs: 15_000 },
  },
  'svc.e.firmware_portion': {
    payload: FirmwarePortion,
    confirm: 'accepted',
    keeping: { whenFull: 'forget', idleMs: 30_000 },
  },
  // A person waits for the answer for some seconds.
  'svc.e.trace_request': { payload: TraceRequest, confirm: 'accepted', keeping: BRIEF },
  'svc.e.trace': { payload: TraceAnswer, confirm: 'accepted', keeping: BRIEF },
  'svc.e.event': { payload: EventReport, confirm: 'handled', keeping: { queue: 'svc.q.event' } },
  'svc.e.alarm': { payload: AlarmReport, confirm: 'handled', keeping: { queue: 'svc.q.alarm' } },
  'svc.e.identity': {
    payload: IdentityEvent,
    confirm: 'handled',
    keeping: { queue: 'svc.q.identity' },
  },
  'svc.e.notify': { payload: NotifyTask, confirm: 'accepted' },
} as const satisfies Record<string, Topic>;

/** The routing key of commands for one node of a driver. */
export const nodeKey = (driverCode: string, node: string): string => `${driverCode}.${node}`;

/** Queue of the commands with this routing key. */
export const commandQueue = (topic: 'svc.e.point_command' | 'svc.e.command', key: string): string =>
  `${topic.replace('svc.e.', 'svc.q.')}.${key}`;

/** How this topic's queues are kept; empty means the defaults of each bus. */
export const keepingOf = (topic: TopicName): Keeping => {
  const row: Topic = topics[topic];
  return row.keeping ?? {};
};

export type TopicName = keyof typeof topics;
export type Payload<N extends TopicName> = z.infer<(typeof topics)[N]['payload']>;
