import { z } from 'zod';

import { Id } from '../../src/kernel/input/id.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { bare } from '../given/spelled.ts';

const MAX_TEXT = 160;
const NEITHER = 'must be an id, as lists and searches answer it, or a name';

/** An id, or a name in any order and spelling (src/manager/find). Digits have to be an id. */
export const Ref = z
  .union([z.string(), z.number()])
  .refine((given) => typeof given === 'string' || Number.isSafeInteger(given), NEITHER)
  .transform((given) => bare(String(given)))
  .refine((text) => /[\p{L}\p{N}]/u.test(text) && Text(MAX_TEXT).safeParse(text).success, NEITHER)
  .refine((text) => !/^\d+$/.test(text) || Id.safeParse(text).success, {
    error: 'must be an id (a positive whole number of 64 bits) or a name',
  });

/** Which point of which device. */
export const pairRefs = {
  deviceId: Ref.optional().describe('Id or name'),
  pointId: Ref.describe('Id or name; alone, with its device ("boiler 2 pressure")'),
};
