import type { z } from 'zod';

import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';

/** What a list or a count is asked of: a driver, a profile or a device by its id. */
export const OfDriver = input({ driverId: Id });
export type OfDriver = z.infer<typeof OfDriver>;
export const OfProfile = input({ profileId: Id });
export type OfProfile = z.infer<typeof OfProfile>;
export const OfDevice = input({ deviceId: Id });
export type OfDevice = z.infer<typeof OfDevice>;
