import { z } from 'zod';

import { Id } from '../core/input/id.ts';
import { Text } from '../core/input/text.ts';
import { AttributeType, code, EntityStatus, MAX_LEASE_MS, text, time } from './topic-fields.ts';

/** What drivers and the manager center say to each other. */

const MAX_READ_INTERVAL_MS = 366 * 86_400_000;

const Attribute = z.object({
  code,
  name: Text(64).min(1),
  type: AttributeType,
  defaultValue: Text(256),
  description: Text(1024),
  secret: z.boolean().default(false),
  /** A value names one device only, over all tenants: a second device with it is refused. */
  identity: z.boolean().optional(),
});

/** All devices a node knows: how many, and the sum of the versions of what it was sent of each. */
const Known = z.object({
  devices: z.number().int().nonnegative(),
  versions: z.string().regex(/^\d{1,40}$/),
});

/** An address without its port. */
const host = z.string().min(1).max(64);

/** A device answers from another address than before, and nothing proves that it is the same device. */
const PeerChange = z.object({
  /** The reference of the alarm about it. */
  id: z.string().min(1).max(64),
  from: host,
  to: host,
  at: time,
});

export const DriverState = z.object({
  driverCode: code,
  node: code,
  at: time,
  leaseMs: z.number().int().positive().max(MAX_LEASE_MS),
  devices: z
    .array(
      z.object({
        tenantId: Id,
        deviceId: Id,
        status: EntityStatus,
        description: text,
        /** `keeps`: the node serves the device; `asks` (also when absent): it would; `none`: it cannot. */
        claim: z.enum(['keeps', 'asks', 'none']).optional(),
        /** How long ago the device registered at this node; absent where any node could serve it. */
        heldMs: z.number().int().nonnegative().max(8.64e15).optional(),
        /**
         * Where the device answers from, under which claim of its name, and the last change of that
         * which the node knows; absent where the address says nothing about the device.
         */
        peer: z.object({ host, claim: Id.optional(), change: PeerChange.optional() }).optional(),
      }),
    )
    .max(10_000),
  /** The node stops: its devices are free for other copies. */
  leaving: z.boolean().optional(),
  known: Known.optional(),
});

export const DriverRegistration = z.object({
  driverCode: code,
  driverName: Text(64).min(1),
  driverType: z.enum(['DRIVER_CLIENT', 'DRIVER_SERVER', 'GATEWAY', 'CONNECT']),
  serviceName: Text(64).min(1),
  serviceHost: Text(64),
  node: code,
  driverAttributes: z
    .array(Attribute)
    .max(64)
    .refine((all) => all.filter(({ identity }) => identity).length <= 1, 'at most one identity'),
  /** How often it reads each point: a value that is much older is stale. */
  readIntervalMs: z.number().int().positive().max(MAX_READ_INTERVAL_MS).optional(),
  pointAttributes: z.array(Attribute).max(64),
  commandAttributes: z.array(Attribute).max(64).optional(),
  eventAttributes: z.array(Attribute).max(64).optional(),
});

/** Grows with every message on a device, over all manager centers; absent is older than any. */
const Version = z.number().int().nonnegative();
/** A node of a driver, or empty. */
const Node = z.string().max(64);

/** A device as its driver needs it: configs by attribute code, defaults already filled in. */
const DeviceMetadata = z.object({
  id: Id,
  name: z.string(),
  enabled: z.boolean(),
  configs: z.record(z.string(), z.string()),
  /**
   * The name that belongs to this device alone, by the attribute its driver declares as identity; null
   * when it has none or another device has it. Of two claims of a name the higher number is the newer.
   * `acknowledged` is the reference of the alarm about it that a person confirmed last.
   */
  claim: z
    .object({ endpoint: z.string(), number: Id, acknowledged: z.string().optional() })
    .nullable()
    .optional(),
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
  /** The custom commands of its profile, with the configs this device has for them. */
  commands: z
    .array(z.object({ id: Id, code: z.string(), configs: z.record(z.string(), z.string()) }))
    .max(10_000)
    .optional(),
});

export const Metadata = z.discriminatedUnion('kind', [
  /** All devices of this driver have been sent; answers a registration of `node`. */
  z.object({
    kind: z.literal('registered'),
    driverCode: code,
    node: code,
    devices: z.number().int(),
    at: time,
    /** Of these devices each was told with a later version: what has an earlier one is gone. */
    since: Version.optional(),
  }),
  z.object({
    kind: z.literal('device'),
    driverCode: code,
    tenantId: Id,
    driverId: Id,
    device: DeviceMetadata,
    version: Version.optional(),
    /** The node that serves the device; absent or empty for none. */
    node: Node.optional(),
  }),
  /** From now on `node` serves these devices, and every other copy of the driver leaves them alone. */
  z.object({
    kind: z.literal('serving'),
    driverCode: code,
    node: Node,
    /** As of when, by the clock of the centers. */
    at: time.optional(),
    devices: z
      .array(
        z.object({
          tenantId: Id,
          deviceId: Id,
          /** How long ago the device registered at the node; null where any node could serve it. */
          heldMs: z.number().nullable(),
          /** The host that this is said of, and the last change of it; absent where none was reported. */
          peer: z.object({ host, change: PeerChange.nullable() }).optional(),
        }),
      )
      .max(10_000),
  }),
  z.object({
    kind: z.literal('removed'),
    driverCode: code,
    tenantId: Id,
    deviceId: Id,
    version: Version.optional(),
  }),
  /** News may have been lost: this node, or every one where none is named, registers again. */
  z.object({ kind: z.literal('resync'), driverCode: code, node: Node.optional() }),
]);
