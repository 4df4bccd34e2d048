import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { rangeOf, rangeStart } from './range.ts';

/** Where the bins of a delay begin (ms); each ends where the next begins. */
const BINS = [0, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

export const LatencyQuery = input(rangeOf(24));
export const LatencyBucket = z
  .object({
    bin: z
      .number()
      .int()
      .describe(`The least delay (ms) of the bin: ${BINS.join(', ')}`),
    count: z.number().int(),
  })
  .meta({ id: 'LatencyBucket' });

/**
 * Values by the time between measuring and receiving, all bins in order; what the clock of a device puts into the
 * future counts as no delay.
 */
export const latency: Operation<z.output<typeof LatencyQuery>, z.output<typeof LatencyBucket>[]> = (
  app,
  { tenantId, timezone },
  range,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = rangeStart(range, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<{ place: number; count: number }>`
      select greatest(width_bucket(receive_time - create_time,
          ${BINS.map((bin) => `${bin} ms`)}::interval[]), 1) - 1 as place, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by place`.execute(q);
    const counts = new Map(rows.map(({ place, count }) => [place, count]));
    return BINS.map((bin, place) => ({ bin, count: counts.get(place) ?? 0 }));
  });
