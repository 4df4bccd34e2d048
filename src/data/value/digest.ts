import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { inTenant } from '../../db/tenant.ts';
import { expectedIntervalMs, type Freshness, freshnessOf } from './freshness.ts';
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

/** Statistics of the stored values of a point of a device in a window; rows stay in the database. */
export const digest: Operation<Digest, DigestAnswer> = (app, { tenantId }, input) =>
  inTenant(app.db, tenantId, async (q) => {
    const from = new Date(input.from);
    const now = app.clock.now();
    const to = new Date(input.to ?? now);
    // The origin time of the newest value may be ahead of the platform's clock.
    const until = new Date(input.to ?? now + MAX_AHEAD_MS);
    const rows = q
      .selectFrom('svc_point_value')
      .where('tenantId', '=', tenantId)
      .where('deviceId', '=', input.deviceId)
      .where('pointId', '=', input.pointId)
      .where('createTime', '>=', from)
      .where('createTime', '<=', until);
    const totals = await rows
      .select([
        sql<string>`count(*)`.as('count'),
        sql<number | null>`min(num_value)`.as('min'),
        sql<number | null>`max(num_value)`.as('max'),
        sql<number | null>`avg(num_value)`.as('mean'),
      ])
      .executeTakeFirstOrThrow();
    const count = Number(totals.count);
    const values = rows.select(['createTime', 'calValue']);
    const first = await values.orderBy('createTime').orderBy('seq').limit(1).executeTakeFirst();
    const last = await values
      .orderBy('createTime', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const intervalMs = await expectedIntervalMs(q, tenantId, input.deviceId);
    const step = input.maxSamples > 0 ? Math.max(1, Math.ceil(count / input.maxSamples)) : 0;
    const samples =
      step === 0
        ? []
        : await q
            .selectFrom(
              rows
                .select([
                  'createTime',
                  'calValue',
                  sql<string>`row_number() over (order by create_time, seq)`.as('rank'),
                ])
                .as('ranked'),
            )
            .select(['createTime', 'calValue'])
            .where(sql<boolean>`(rank - 1) % ${sql.lit(step)} = 0`)
            .orderBy('rank')
            .limit(input.maxSamples)
            .execute();
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      count,
      first: first ? sampleOf(first) : null,
      last: last ? { ...sampleOf(last), ...ageOf(last, { intervalMs, now }) } : null,
      min: totals.min,
      max: totals.max,
      mean: totals.mean,
      samples: samples.map(sampleOf),
    };
  });
