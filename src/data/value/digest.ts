import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import { type NamedPair, type Pair, pairOf } from './pair.ts';
import { MAX_AHEAD_MS } from './stored-value.ts';

const MAX_SAMPLES = 50;

/** `from` and `to` in milliseconds since the epoch, both included; without `to`: up to the newest value. */
export const Digest = z.object({
  deviceId: Id,
  pointId: Id,
  from: z.number(),
  to: z.number().optional(),
  maxSamples: z.int().min(0).max(MAX_SAMPLES),
});
export type Digest = z.infer<typeof Digest>;

type Sample = { time: string; value: string };

export type DigestAnswer = {
  from: string;
  to: string;
  count: number;
  first: Sample | null;
  /** With its age, and whether a newer value is overdue. */
  last: (Sample & Pick<Freshness, 'ageS' | 'stale'>) | null;
  /** Of numeric values; null without any. */
  min: number | null;
  max: number | null;
  mean: number | null;
  /** At most `maxSamples`, evenly picked by rank, oldest first. */
  samples: Sample[];
};

type SampleRow = { createTime: Date; calValue: string };

const sampleOf = ({ createTime, calValue }: SampleRow): Sample => ({
  time: createTime.toISOString(),
  value: calValue,
});

function ageOf({ createTime }: SampleRow, at: Parameters<typeof freshnessOf>[1]) {
  const { ageS, stale } = freshnessOf({ createTime, quality: 'GOOD' }, at);
  return { ageS, stale };
}

const valuesIn = (
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: Pair,
  from: Date,
  until: Date,
) =>
  q
    .selectFrom('svc_point_value')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .where('createTime', '>=', from)
    .where('createTime', '<=', until);

/** Evenly picked by rank, oldest first. */
const sampled = (
  q: Queries,
  values: ReturnType<typeof valuesIn>,
  max: number,
): Promise<SampleRow[]> =>
  q
    .selectFrom(
      values
        .select(['createTime', 'calValue'])
        .select(sql<string>`row_number() over (order by create_time, seq)`.as('rank'))
        .select(sql<string>`count(*) over ()`.as('total'))
        .as('ranked'),
    )
    .select(['createTime', 'calValue'])
    .where(sql<boolean>`(rank - 1) % ceil(total / ${max}::numeric)::bigint = 0`)
    .orderBy('rank')
    .limit(max)
    .execute();

/** Statistics of the stored values of a point of a device in a window; rows stay in the database. */
export const digest: Operation<Digest, NamedPair & DigestAnswer> = (app, { tenantId }, input) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const from = new Date(input.from);
    const now = app.clock.now();
    const to = new Date(input.to ?? now);
    // The origin time of the newest value may be ahead of the platform's clock.
    const until = new Date(input.to ?? now + MAX_AHEAD_MS);
    const rows = valuesIn(q, tenantId, input, from, until);
    const totalled = rows.select([
      sql<string>`count(*)`.as('count'),
      sql<number | null>`min(num_value)`.as('min'),
      sql<number | null>`max(num_value)`.as('max'),
      sql<number | null>`avg(num_value)`.as('mean'),
    ]);
    const values = rows.select(['createTime', 'calValue']);
    const oldestFirst = values.orderBy('createTime').orderBy('seq');
    const newestFirst = values.orderBy('createTime', 'desc').orderBy('seq', 'desc');
    const [{ intervalMs, ...names }, totals, first, last, samples] = await Promise.all([
      pairOf(q, tenantId, input),
      totalled.executeTakeFirstOrThrow(),
      oldestFirst.limit(1).executeTakeFirst(),
      newestFirst.limit(1).executeTakeFirst(),
      input.maxSamples === 0 ? [] : sampled(q, rows, input.maxSamples),
    ]);
    return {
      ...names,
      from: from.toISOString(),
      to: to.toISOString(),
      count: Number(totals.count),
      first: first ? sampleOf(first) : null,
      last: last ? { ...sampleOf(last), ...ageOf(last, { intervalMs, now }) } : null,
      min: totals.min,
      max: totals.max,
      mean: totals.mean,
      samples: samples.map(sampleOf),
    };
  });
