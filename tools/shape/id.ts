import { z } from 'zod';

import { Id, Uuid } from '../../src/kernel/input/id.ts';

/** Id of a definition in a profile, or UUID of an issued command or reported event. */
export const IdOrUuid = z
  .string()
  .refine((text) => z.union([Uuid, Id]).safeParse(text).success, 'must be a UUID or an id');

export const isUuid = (text: string): boolean => text.includes('-');
