import { z } from 'zod';

import { Text } from '../core/input/text.ts';

/** What the fields of several messages are. */

/** What a Date can hold. */
export const time = z.number().int().nonnegative().max(8.64e15);
/** Longer than any driver is silent and still there. */
export const MAX_LEASE_MS = 86_400_000;
/** Drivers name themselves: names go into the database as they are, unlike what devices say. */
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

export const EntityStatus = z.enum(['ONLINE', 'OFFLINE', 'MAINTAIN', 'FAULT']);
export type EntityStatus = z.infer<typeof EntityStatus>;
