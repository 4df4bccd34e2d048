import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { code, Id, time } from './topic-fields.ts';

/** Messages about what a driver exchanged with a device last; drivers keep that in memory alone. */

/** Exchanges of one trace, and values of one payload. */
export const MAX_TRACED = 100;
export const MAX_TRACED_VALUES = 32;
const MAX_TEXT = 1024;

/** A payload, decoded as far as its format is known. */
const Payload = z.object({
  /** Name of its format, as `TLV`; empty for a payload that names none. */
  format: z.string().max(32),
  bytes: z.number().int().nonnegative(),
  values: z
    .array(
      z.object({
        path: z.string().max(64),
        value: Text(256),
        /** The value is bytes in hexadecimal, as `0x31`: neither the format nor a point says its type. */
        untyped: z.literal(true).optional(),
      }),
    )
    .max(MAX_TRACED_VALUES),
  /** Values beyond these. */
  leftOut: z.number().int().nonnegative(),
  /** What is no value of a resource, as links. */
  text: Text(MAX_TEXT),
  /** Why it is not here: not stored, hidden or not understood; empty where it is. */
  note: z.string().max(200),
});

const Exchange = z.object({
  /** When it began. */
  at: time,
  /** Until it ended; null: it goes on, or nothing was waited for. */
  ms: z.number().int().nonnegative().nullable(),
  from: z.enum(['PLATFORM', 'DEVICE']),
  /** What it does, as `READ`. */
  operation: z.string().max(32),
  /** Of the protocol, as `GET`; empty for a report. */
  method: z.string().max(16),
  path: z.string().max(128),
  query: Text(512),
  request: Payload.nullable(),
  /** Of the answer, as `2.05`; empty without one. */
  code: z.string().max(16),
  answer: Payload.nullable(),
  /** Why there is no answer; empty where there is one, or it is still waited for. */
  failure: z.string().max(64),
  /** Datagrams that the driver sent for it, and how many of them it had sent before. */
  sent: z.number().int().nonnegative(),
  repeated: z.number().int().nonnegative(),
  /** How often the same was refused, one time after the other. */
  times: z.number().int().positive(),
  /** Of the device, with its port. */
  address: z.string().max(64),
  /** Whether the peer proved a key. */
  secure: z.boolean(),
});

/** A center asks the driver node that serves the device, or any node where none does. */
export const TraceRequest = z.object({
  requestId: z.uuid(),
  tenantId: Id,
  deviceId: Id,
  /** Routing key of the answer: the process that asks. */
  replyKey: z.uuid(),
});

export const TraceAnswer = z.object({
  requestId: z.uuid(),
  node: code,
  /** Null: the driver stores no exchanges, or has no such device. */
  trace: z
    .object({
      /** From when on the node stored exchanges. */
      since: time,
      /** Exchanges of the device since then that are not here. */
      dropped: z.number().int().nonnegative(),
      /** The oldest first. */
      exchanges: z.array(Exchange).max(MAX_TRACED),
    })
    .nullable(),
});
