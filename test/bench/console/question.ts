import { z } from 'zod';

/** Devices of the plant. */
export const MANY = 100_000;
/** Stored of the first point: one each second of the last week. */
export const WEEK_VALUES = 604_800;

export const Ready = z.object({ url: z.string(), deviceId: z.string() });
/** Asks the server to receive this value of the first point. */
export const Report = z.object({ text: z.string() });
/** When it did, in ms since 1970. */
export const Reported = z.object({ receivedAt: z.number() });
