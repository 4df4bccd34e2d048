import { z } from 'zod';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import { type NamedPair, type Pair, pairOf } from './pair.ts';

/** A value of a point (docs/specification/objects.md, PointValue). */
export const PointValue = z.object({
  tenantId: AnswerId,
  deviceId: AnswerId,
  pointId: AnswerId,
  driverId: AnswerId,
  rawValue: z.string().meta({ description: 'As the device sent it', examples: ['215'] }),
  calValue: z
    .string()
    .meta({ description: 'In the unit of the point: raw × multiple + base', examples: ['21.5'] }),
  numValue: z
    .number()
    .nullable()
    .meta({ description: 'The number of calValue; null for text', examples: [21.5] }),
  quality: nameIn(Quality),
  createTime: IsoTime.describe('When it was measured'),
  operateTime: IsoTime.describe('When it was received'),
  claimedTime: IsoTime.nullable().describe(
    "The sender's time if it was too far in the future; createTime is then the time of reception",
  ),
});
export type PointValue = z.output<typeof PointValue>;

export type StoredRow = {
  tenantId: string;
  deviceId: string;
  pointId: string;
  driverId: string;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: number;
  createTime: Date;
  receiveTime: Date;
  claimedTime: Date | null;
};

export const valueOf = (row: StoredRow): PointValue => ({
  tenantId: row.tenantId,
  deviceId: row.deviceId,
  pointId: row.pointId,
  driverId: row.driverId,
  rawValue: row.rawValue,
  calValue: row.calValue,
  numValue: row.numValue,
  quality: nameOf(Quality, row.quality),
  createTime: row.createTime.toISOString(),
  operateTime: row.receiveTime.toISOString(),
  claimedTime: row.claimedTime?.toISOString() ?? null,
});

/** Null if the point has no value. */
export async function latestOf(
  q: Queries,
  tenantId: string,
  deviceId: string,
  pointId: string,
): Promise<PointValue | null> {
  const row = await q
    .selectFrom('svc_point_latest')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .executeTakeFirst();
  return row ? valueOf(row) : null;
}

/** The latest value of one point with its freshness, or null, beside the names of the pair. */
export const latestValue: Operation<
  Pair,
  NamedPair & { latest: (PointValue & Freshness) | null }
> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [{ names, facts }, value] = await Promise.all([
      pairOf(q, tenantId, given),
      latestOf(q, tenantId, given.deviceId, given.pointId),
    ]);
    const at = { intervalMs: facts.intervalMs, now: app.clock.now() };
    return { ...names, latest: value && { ...value, ...freshnessOf(value, at) } };
  });
