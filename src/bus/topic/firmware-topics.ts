import { z } from 'zod';

import { code, Id, text, time } from './topic-fields.ts';

/** Messages of firmware updates between the manager center and drivers. */

/** Bytes of a package in one message; its base64 fits a message of the bus. */
export const MAX_PORTION_BYTES = 262_144;
const MAX_PACKAGE_BYTES = 16 * 1024 * 1024;
/** A week. */
const MAX_UPDATE_MS = 604_800_000;

/** How far an update is known to be. `SENDING`: a push has begun; `DOWNLOADED`: the device took all of it. */
const Phase = z.enum(['BEGUN', 'SENDING', 'DOWNLOADED', 'UPDATING']);

/** What came of the last order: `SENT`, no answer, or one that leaves open whether it is obeyed. */
const Answer = z.enum(['NONE', 'SENT', 'ACCEPTED', 'REFUSED']);

const version = z.string().max(255);
const byte = z.number().int().min(0).max(255);
const count = z.number().int().nonnegative().max(1000);

/** What is known of an update; the same in both directions, so that any node can go on with it. */
const Known = {
  phase: Phase,
  /** What the device said at /3/0/3 before; null while that is unknown. */
  versionBefore: version.nullable(),
  /** How often the package and the order to install it were sent. */
  pushes: count,
  executions: count,
  answer: Answer.default('SENT'),
  /** Mark of the driver for the registration under which the device got the last order. */
  session: z.string().max(64).default(''),
  /** Update Result of object 5 before the last order, or 0 since the device reset it; null while that is unknown. */
  resultBefore: byte.nullable().default(null),
};

/** The node that serves the device goes on with an update, unless it is at it already. */
export const FirmwareTask = z.object({
  updateId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  packageId: Id,
  packageVersion: version,
  size: z.number().int().positive().max(MAX_PACKAGE_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where the device fetches the package by itself; empty: its bytes are sent. */
  packageUri: z.string().max(255),
  ...Known,
  /** It ended without certainty: the device is asked what became of it, and sent nothing. */
  hasEnded: z.boolean().default(false),
  /** Time left for the device when this was published; of one that has ended: until it is handed out again. */
  remainingMs: z.number().int().positive().max(MAX_UPDATE_MS),
});

/** What a driver knows of an update by now; `end` is the last word on it. */
export const FirmwareReport = z.object({
  driverCode: code,
  node: code,
  updateId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  ...Known,
  sentBytes: z.number().int().nonnegative().max(MAX_PACKAGE_BYTES),
  /** State and Update Result of object 5; null where it was not read. */
  state: byte.nullable(),
  result: byte.nullable(),
  /** What the device says at /3/0/3 now; null where it was not read. */
  version: version.nullable(),
  end: z.enum(['VERIFIED', 'FAILED', 'MISMATCH', 'UNKNOWN']).nullable(),
  message: text,
  at: time,
});

/**
 * A driver node asks for the bytes of a package from `offset` on, for an update of one of its devices; or whether it may
 * begin: the first order to a device goes out after a yes alone.
 */
export const FirmwareRequest = z.object({
  driverCode: code,
  node: code,
  updateId: z.uuid(),
  tenantId: Id,
  asks: z.enum(['bytes', 'begin']).default('bytes'),
  offset: z.number().int().nonnegative().multipleOf(MAX_PORTION_BYTES).max(MAX_PACKAGE_BYTES),
});

/** The answer; without bytes where there are none for this update, and where it is whether it may begin. */
export const FirmwarePortion = z.object({
  updateId: z.uuid(),
  offset: z.number().int().nonnegative(),
  /** Base64. */
  bytes: z.string().max(Math.ceil(MAX_PORTION_BYTES / 3) * 4),
  mayBegin: z.boolean().nullable().default(null),
});
