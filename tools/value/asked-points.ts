import { z } from 'zod';

import { search } from '../../src/data/silence/value-search.ts';
import type { Pair } from '../../src/data/value/pair.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { BadRequest, NotFound, Unprocessable } from '../../src/kernel/errors.ts';
import { quoted } from '../../src/kernel/sentence/voice.ts';
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
    .describe('With device: "boiler 2 pressure"; words of several: all'),
  group: Ref.optional().describe('points of its devices'),
  deviceId: pairRefs.deviceId,
  pointId: pairRefs.pointId.optional(),
};

type Asked = {
  deviceId?: string | undefined;
  pointId?: string | undefined;
  points?: string[] | undefined;
  group?: string | undefined;
};

/**
 * The one point, or those that the words of each text have, all devices of a group too: at most ten. Throws BadRequest for
 * none given and for a group beside a device or a lone point, Unprocessable for more, and as `Finder.pairs`.
 */
export async function pairsOf(
  app: App,
  caller: Caller,
  find: Finder,
  { deviceId, pointId, points, group }: Asked,
): Promise<Pair[]> {
  if (points === undefined) {
    if (group !== undefined || pointId === undefined)
      throw new BadRequest('Give points (a group narrows them alone), or deviceId and pointId');
    return [await find.pair({ deviceId, pointId })];
  }
  if (group !== undefined && (deviceId !== undefined || points.some((point) => PAIR.test(point))))
    throw new BadRequest('Give group or deviceId: each says of which devices the points are');
  const groupId = group === undefined ? null : await find.one('group', group);
  const pairs: Pair[] = [];
  for (const point of points) {
    const most = MAX_POINTS - pairs.length;
    const [, device = deviceId, own = point] = PAIR.exec(point) ?? [];
    pairs.push(
      ...(groupId === null
        ? await find.pairs({ deviceId: device, pointId: own }, Math.max(1, most))
        : await inGroup(app, caller, { groupId, pointName: own })),
    );
  }
  if (pairs.length > MAX_POINTS)
    throw new Unprocessable(`At most ${MAX_POINTS} points at once, and these are ${pairs.length}`);
  return pairs;
}

async function inGroup(app: App, caller: Caller, asked: { groupId: string; pointName: string }) {
  const { total, values } = await search(app, caller, { ...asked, limit: MAX_POINTS + 1 });
  if (total > MAX_POINTS)
    throw new Unprocessable(
      `${quoted(asked.pointName)} fits ${total} points of the group: at most ${MAX_POINTS} at once`,
    );
  if (total === 0) throw new NotFound(`A point ${quoted(asked.pointName)} of the group`);
  return values.map(({ deviceId, pointId }) => ({ deviceId, pointId }));
}
