import { sql } from 'kysely';
import { z } from 'zod';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';

type Batch = Payload<'svc.e.value'>;

/**
 * Another driver serves the device of the value, or its point is unknown; or the driver itself had to drop values, of
 * which one mark came; or the disk was almost full.
 */
const OF_VALUES = ['OTHER_DRIVER', 'UNKNOWN_POINT', 'DROPPED', 'NO_ROOM'] as const;
/** The disk was almost full when an event came. */
const EVENT_NO_ROOM = 'EVENT_NO_ROOM';
const REASONS = [...OF_VALUES, EVENT_NO_ROOM] as const;

/** A value that is not stored. */
export type Refused = Batch['values'][number] & { reason: (typeof OF_VALUES)[number] };
type Origin = Pick<Batch, 'tenantId' | 'driverCode'>;

/** Adds to the counts by driver and reason; answers one value for each reason that is new. */
export async function countRefused(
  q: Queries,
  batch: Origin,
  refused: readonly Refused[],
  now: number,
): Promise<Refused[]> {
  const reasons = Map.groupBy(refused, ({ reason }) => reason);
  const first = await Promise.all(OF_VALUES.map((reason) => count(reasons.get(reason) ?? [])));
  return first.flat();

  async function count(values: readonly Refused[]): Promise<Refused[]> {
    const last = values.at(-1);
    if (!last) return [];
    const number = values.reduce((sum, value) => sum + amountOf(value), 0);
    return (await addRefused(q, batch, { ...last, number, now })) ? [last] : [];
  }
}

/** Counts an event of a device that is not stored; answers whether it is the first one. */
export const countRefusedEvent = (
  q: Queries,
  origin: Origin,
  { deviceId, now }: { deviceId: string; now: number },
): Promise<boolean> =>
  addRefused(q, origin, { reason: EVENT_NO_ROOM, number: 1, deviceId, pointId: '0', now });

type Added = Record<'deviceId' | 'pointId', string> & {
  reason: (typeof REASONS)[number];
  number: number;
  now: number;
};

/** Whether they are the first for their reason. */
async function addRefused(
  q: Queries,
  { tenantId, driverCode }: Origin,
  { reason, number, deviceId, pointId, now }: Added,
): Promise<boolean> {
  const at = new Date(now);
  const { rows } = await sql<{ refused: string }>`
    insert into svc_value_refusal as r (tenant_id, driver_code, reason, refused, device_id, point_id,
      first_time, last_time)
    values (${tenantId}, ${driverCode}, ${reason}, ${number}, ${deviceId}, ${pointId}, ${at}, ${at})
    on conflict (tenant_id, driver_code, reason) do update set
      refused = r.refused + excluded.refused, device_id = excluded.device_id,
      point_id = excluded.point_id, last_time = excluded.last_time
    returning r.refused`.execute(q);
  return Number(rows[0]?.refused) === number;
}

const amountOf = ({ reason, dropped = 1 }: Refused): number => (reason === 'DROPPED' ? dropped : 1);

/** Refused values and events by driver and reason: their number, and the device and point (of an event 0) of the last one. */
export const RefusedCount = z.object({
  driverCode: z.string().meta({ examples: ['modbus-tcp'] }),
  reason: z.enum(REASONS),
  refused: z.number().int().describe('Since the first refusal'),
  deviceId: AnswerId,
  pointId: AnswerId,
  lastTime: IsoTime,
});
export type RefusedCount = z.output<typeof RefusedCount>;

/** Last refused first, at most 20. */
export async function refusedValues(q: Queries, tenantId: string): Promise<RefusedCount[]> {
  const { rows } = await sql<
    Omit<RefusedCount, 'refused' | 'lastTime'> & { refused: string; lastTime: Date }
  >`
    select driver_code, reason, refused, device_id, point_id, last_time from svc_value_refusal
    where tenant_id = ${tenantId} order by last_time desc limit 20`.execute(q);
  return rows.map(({ refused, lastTime, ...row }) => ({
    ...row,
    refused: Number(refused),
    lastTime: lastTime.toISOString(),
  }));
}
