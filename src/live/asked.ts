import { z } from 'zod';

import { Cursor } from '../kernel/feed/change.ts';
import { Id } from '../kernel/input/id.ts';
import { input } from '../kernel/input/input.ts';

const MAX = 200;

/** Separated by commas, or the parameter given several times. */
const listOf = <S extends z.ZodType>(each: S) =>
  z
    .preprocess(
      (given) =>
        typeof given === 'string' ? given.split(',').filter((part) => part !== '') : given,
      z.array(each).max(MAX, `takes ${MAX} at most`),
    )
    .default([]);

const DevicePoint = z.string().transform((text, context) => {
  const [device, point, ...more] = text.split(':').map((part) => Id.safeParse(part));
  if (device?.success && point?.success && more.length === 0)
    return { deviceId: device.data, pointId: point.data };
  context.addIssue('must be DEVICE:POINT, the ids of a device and of a point');
  return z.NEVER;
});

/** What a stream of `GET /api/v3/data/live` is about. */
export const AskedLive = input({
  points: listOf(DevicePoint),
  devices: listOf(Id),
  cursor: Cursor.optional(),
});
export type AskedLive = z.output<typeof AskedLive>;
