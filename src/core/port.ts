import { z } from 'zod';

/** A TCP or UDP port from the environment; 0 takes a free one. */
export const Port = z.coerce.number().int().min(0).max(65_535);
