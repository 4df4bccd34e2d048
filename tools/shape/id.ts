import { z } from 'zod';

import { Id, Uuid } from '../../src/core/input/id.ts';

/** Names either what a profile defines, by its id, or what happened once, by its UUID. */
export const IdOrUuid = z
  .string()
  .refine((text) => z.union([Uuid, Id]).safeParse(text).success, 'must be a UUID or an id');

export const isUuid = (text: string): boolean => text.includes('-');
