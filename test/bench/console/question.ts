import { z } from 'zod';

/** Devices of the plant. */
export const MANY = 100_000;

export const Ready = z.object({ url: z.string(), deviceId: z.string() });
/** Asks the server to receive this value of the first point. */
export const Report = z.object({ text: z.string() });
/** When it did, in ms since 1970. */
export const Reported = z.object({ receivedAt: z.number() });
