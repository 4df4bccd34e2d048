import { z } from 'zod';

const Ms = z.number().int().min(100).max(600_000).optional();

/** How long the answers of a provider may take, in milliseconds; a limit that is left out is the default. */
export const Timeouts = z.strictObject({
  connectMs: Ms.describe('Until the connection is there; 10 s by default'),
  firstTokenMs: Ms.describe('Until the first text or call; none by default'),
  idleMs: Ms.describe('Without a byte; 60 s by default, 120 s where the model thinks'),
  totalMs: Ms.describe('Until the end of one answer; none by default'),
});
export type Timeouts = z.output<typeof Timeouts>;

/** Stored limits; the defaults where they cannot be read. */
export function timeoutsOf(stored: unknown): { [K in keyof Timeouts]?: number } {
  const { connectMs, firstTokenMs, idleMs, totalMs } = Timeouts.safeParse(stored).data ?? {};
  return {
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(totalMs === undefined ? {} : { totalMs }),
  };
}
