import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { code, Id, time } from './topic-fields.ts';

/** The path of an object, of its instance or of a resource, without a slash in front. */
const ObjectPath = z.string().regex(/^\d{1,5}(?:\/\d{1,5}){0,2}$/);
/** A registration with more is cut; `leftOut` counts the rest. */
export const MAX_OBJECTS = 256;

/** What devices said of themselves when they registered at a driver. */
export const Registered = z.object({
  driverCode: code,
  node: code,
  devices: z
    .array(
      z.object({
        tenantId: Id,
        deviceId: Id,
        endpoint: Text(255).min(1),
        /** Of the protocol. */
        version: z.string().max(16),
        /** When the device said so. */
        at: time,
        objects: z.array(ObjectPath).max(MAX_OBJECTS),
        leftOut: z.number().int().nonnegative(),
        /** A secret of the device that is of no use any more: its attribute, and SHA-256 of its value. */
        spent: z.object({ attribute: code, digest: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
      }),
    )
    .max(500),
  /** Endpoints that no device has and that were refused. */
  waiting: z
    .array(
      z.object({
        endpoint: Text(255).min(1),
        /** Address that it came from last, without the port. */
        host: z.string().min(1).max(64),
        /** The device whose key it proved. */
        key: z.object({ tenantId: Id, deviceId: Id }).optional(),
        /** Its first attempt that the node knows of, its last one, and how many. */
        since: time,
        last: time,
        attempts: z.number().int().positive(),
      }),
    )
    .max(200)
    .optional(),
});
