import { z } from 'zod';

import { isId } from '../../kernel/input/id.ts';
import { Text } from '../../kernel/input/text.ts';

/** Fields shared by several messages. */

/** An id as publishers write it. That of requests takes numbers too, which costs as much as all else of a value. */
export const Id = z.string().refine(isId, 'must be an id');
/** Range of a Date. */
export const time = z.number().int().nonnegative().max(8.64e15);
/** Upper bound of leases and validities: one day. */
export const MAX_LEASE_MS = 86_400_000;
/** Driver names are stored unchanged, so this checks them; device texts are cleaned when stored. */
export const code = Text(64).min(1);
export const text = z.string().max(1024);
export const pointText = z.string().max(4096);

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

export const EventType = z.enum(['INFO', 'ALERT', 'FAULT', 'LIFECYCLE']);
export const EventLevel = z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']);

export const EntityStatus = z.enum(['ONLINE', 'OFFLINE', 'MAINTAIN', 'FAULT']);
export type EntityStatus = z.infer<typeof EntityStatus>;
