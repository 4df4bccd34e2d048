import { setImmediate } from 'node:timers/promises';

import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { STALE_AFTER } from '../value/freshness.ts';
import { pairOf } from '../value/pair.ts';
import { partMsOf, partsOf } from './trend-parts.ts';

const MAX_SERIES = 200;
const MAX_SPAN_MS = 366 * 86_400_000;
const MAX_PARTS = 2_000;
/** Of an answer, over all of its points. */
const MAX_ALL_PARTS = 8_000;

export const TrendQuery = input({
  pairs: z
    .array(z.object({ deviceId: Id, pointId: Id }))
    .min(1)
    .max(MAX_SERIES)
    .meta({ examples: [[{ deviceId: '7', pointId: '12' }]] }),
  from: Moment,
  to: Moment,
  parts: z.coerce
    .number()
    .int()
    .min(10)
    .max(MAX_PARTS)
    .default(600)
    .describe(
      'Equal parts of the time, each with the extremes of its values; of all points at most 8,000',
    ),
});
type TrendQuery = z.output<typeof TrendQuery>;

/** One of the parts of the time that has values. */
const TrendPart = z
  .object({
    firstAt: z.number().int().describe('First value, ms since 1970'),
    lastAt: z.number().int().describe('Last value, ms since 1970'),
    count: z.number().int(),
    min: z.number(),
    max: z.number(),
    mean: z.number(),
  })
  .meta({ id: 'PointTrendPart' });

/** The numbers of a point over a time, for a line to draw. */
const TrendSeries = z
  .object({
    deviceId: AnswerId,
    deviceName: z.string().meta({ examples: ['Boiler 2'] }),
    pointId: AnswerId,
    pointName: z.string().meta({ examples: ['Flow temperature'] }),
    unit: z.string().meta({ examples: ['°C'] }),
    gapMs: z
      .number()
      .describe('Values further apart than this have a gap between them: some were expected'),
    parts: z.array(TrendPart).describe('Oldest first; without values that are marked bad'),
  })
  .meta({ id: 'PointTrendSeries' });

export const Trend = z
  .object({ from: IsoTime, to: IsoTime, series: z.array(TrendSeries) })
  .meta({ id: 'PointTrend' });
type Trend = z.output<typeof Trend>;

/**
 * The stored numbers of each pair from `from` to `to`, in parts with their extremes, in the order of the pairs; one trip.
 * Throws as `pairOf`, and BadRequest for a time that is empty or longer than 366 days, and for more than 8,000 parts.
 */
export const trend: Operation<TrendQuery, Trend> = async (app, { tenantId }, given) => {
  const { from, to, parts, pairs } = given;
  if (from >= to) throw new BadRequest('from has to be before to');
  if (to - from > MAX_SPAN_MS) throw new BadRequest('A trend has at most 366 days');
  if (pairs.length * parts > MAX_ALL_PARTS)
    throw new BadRequest(
      `${pairs.length} points in ${parts} parts each are more than ${MAX_ALL_PARTS}: ask for fewer points or parts`,
    );
  const found = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all(
      pairs.map((pair) =>
        Promise.all([pairOf(q, tenantId, pair), partsOf(q, tenantId, pair, { from, to }, parts)]),
      ),
    ),
  );
  const series: Trend['series'] = [];
  for (const [{ names, facts }, rows] of found) {
    // Others have their turn between two points.
    await setImmediate();
    // In a part that has a value the next one may be in the next part but one.
    const gapMs = Math.max(STALE_AFTER * facts.intervalMs, 2 * partMsOf(given, parts));
    series.push({ ...names, gapMs, parts: rows });
  }
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), series };
};
