import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { Attribute } from './attribute.ts';
import {
  AttributeType,
  code,
  EntityStatus,
  EventLevel,
  EventType,
  Id,
  MAX_LEASE_MS,
  text,
  time,
} from './topic-fields.ts';

/** Messages between drivers and the manager center. */

const MAX_READ_INTERVAL_MS = 366 * 86_400_000;

/** All devices of a node: their number, and the sum of the versions sent to it. */
const Known = z.object({
  devices: z.number().int().nonnegative(),
  versions: z.string().regex(/^\d{1,40}$/),
});

/** An address without its port. */
const host = z.string().min(1).max(64);

/** A device answers from another address than before, without proof that it is the same device. */
const PeerChange = z.object({
  /** Reference of the alarm about this change. */
  id: z.string().min(1).max(64),
  from: host,
  to: host,
  at: time,
});

export const DriverState = z.object({
  driverCode: code,
  node: code,
  at: time,
  /** The same moment by the clock of the centers, as far as the node knows it; never later than it was. */
  centerAt: time.optional(),
  leaseMs: z.number().int().positive().max(MAX_LEASE_MS),
  devices: z
    .array(
      z.object({
        tenantId: Id,
        deviceId: Id,
        status: EntityStatus,
        description: text,
        /** Why the last read of the device had no answer; absent where it had one. */
        readIssue: z.string().max(256).optional(),
        /** How long a command waits for the device, which sleeps between its reports; absent where it does not. */
        commandLifeMs: z.number().int().positive().max(MAX_LEASE_MS).optional(),
        /** `keeps`: the node serves the device; `asks` (also when absent): it could; `none`: it cannot. */
        claim: z.enum(['keeps', 'asks', 'none']).optional(),
        /** Age of the device's registration at this node; absent where any node could serve the device. */
        heldMs: z.number().int().nonnegative().max(8.64e15).optional(),
        /**
         * Address of the device, the claim of its name at registration, and the last change of address
         * known to the node; absent where the address does not identify the device.
         */
        peer: z.object({ host, claim: Id.optional(), change: PeerChange.optional() }).optional(),
      }),
    )
    .max(10_000),
  /** The node stops and releases its devices to other copies. */
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
  /** Longest time between two reads of a point: a much older value is stale. */
  readIntervalMs: z.number().int().positive().max(MAX_READ_INTERVAL_MS).optional(),
  pointAttributes: z.array(Attribute).max(64),
  commandAttributes: z.array(Attribute).max(64).optional(),
  eventAttributes: z.array(Attribute).max(64).optional(),
});

/** Grows with every message about a device, over all manager centers; absent is older than any. */
const Version = z.number().int().nonnegative();
/** Name of a driver node, or empty. */
const Node = z.string().max(64);

/** A device as its driver needs it: configs by attribute code, defaults already filled in. */
const DeviceMetadata = z.object({
  id: Id,
  name: z.string(),
  enabled: z.boolean(),
  configs: z.record(z.string(), z.string()),
  /**
   * The device's identity: its value of the attribute that the driver declares as identity; null when it
   * has none or another device owns it. Of two claims of a name the higher number is the newer; one that
   * is `proven` counts within its tenant, for the proven key of its device alone.
   * `acknowledged` is the reference of the address alarm that a person confirmed last.
   */
  claim: z
    .object({
      endpoint: z.string(),
      number: Id,
      acknowledged: z.string().optional(),
      proven: z.boolean().optional(),
    })
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
  /** Custom commands of the device's profile, with the configs this device has for them. */
  commands: z
    .array(z.object({ id: Id, code: z.string(), configs: z.record(z.string(), z.string()) }))
    .max(10_000)
    .optional(),
  /** Events of the device's profile, with the configs this device has for them. */
  events: z
    .array(
      z.object({
        id: Id,
        code: z.string(),
        type: EventType,
        level: EventLevel,
        configs: z.record(z.string(), z.string()),
      }),
    )
    .max(10_000)
    .optional(),
});

export const Metadata = z.discriminatedUnion('kind', [
  /** All devices of this driver have been sent: the answer to a registration of `node`. */
  z.object({
    kind: z.literal('registered'),
    driverCode: code,
    node: code,
    devices: z.number().int(),
    at: time,
    /** Present devices were sent with a later version; the driver removes those with an earlier one. */
    since: Version.optional(),
  }),
  z.object({
    kind: z.literal('device'),
    driverCode: code,
    tenantId: Id,
    driverId: Id,
    device: DeviceMetadata,
    version: Version.optional(),
    /** Node that serves the device; absent or empty for none. */
    node: Node.optional(),
  }),
  /** `node` serves these devices from now on; all other copies of the driver stop serving them. */
  z.object({
    kind: z.literal('serving'),
    driverCode: code,
    node: Node,
    /** Time of this assignment by the clock of the centers. */
    at: time.optional(),
    devices: z
      .array(
        z.object({
          tenantId: Id,
          deviceId: Id,
          /** Age of the registration at the node; null where any node could serve the device. */
          heldMs: z.number().nullable(),
          /** Host that the center compared, and its last change; absent where no host was reported. */
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
  /** Updates may have been lost: this node, or every node when none is named, registers again. */
  z.object({ kind: z.literal('resync'), driverCode: code, node: Node.optional() }),
]);
