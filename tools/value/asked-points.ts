import { z } from 'zod';

import type { Pair } from '../../src/data/value/pair.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import type { Finder } from '../../src/manager/find/resolve.ts';
import { pairRefs, Ref } from '../shape/ref.ts';

const MAX_POINTS = 10;
const PAIR = /^(\d{1,19})\/(\d{1,19})$/;

/** One point as everywhere, or several. */
export const AskedPoints = {
  points: z
    .array(Ref)
    .min(1)
    .max(MAX_POINTS)
    .optional()
    .describe('Each with its device: "boiler 2 pressure"'),
  deviceId: pairRefs.deviceId,
  pointId: pairRefs.pointId.optional(),
};

type Asked = {
  deviceId?: string | undefined;
  pointId?: string | undefined;
  points?: string[] | undefined;
};

/** Throws BadRequest for none, and as `Finder.pair`. */
export async function pairsOf(find: Finder, { deviceId, pointId, points }: Asked): Promise<Pair[]> {
  const asked = points ?? (pointId === undefined ? [] : [pointId]);
  if (asked.length === 0) throw new BadRequest('Give points, or deviceId and pointId');
  const pairs: Pair[] = [];
  for (const point of asked) {
    const [, device = deviceId, own = point] = PAIR.exec(point) ?? [];
    pairs.push(await find.pair({ deviceId: device, pointId: own }));
  }
  return pairs;
}
