import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { endsOf } from './ends.ts';

/** Of a row, its place in the index included (docs/operations.md, History); of a closed one beside its bytes. */
const HOT_BYTES = 186;
const CLOSED_BYTES = 190;
const MAX_DEVICES = 100;

const Count = z.number().int();
const Oldest = IsoTime.nullable().describe(
  'When the oldest value that is stored was measured, or the day of it',
);

const StoredDevice = z
  .object({
    deviceId: AnswerId,
    deviceName: z.string().describe('Empty for a device that is deleted'),
    values: Count,
    bytes: Count.describe('About, with indexes'),
    oldest: Oldest,
    keptFrom: IsoTime.nullable().describe('Older values are deleted; null: all are kept'),
  })
  .meta({ id: 'StoredDevice' });

export const StoredValues = z
  .object({
    values: Count,
    bytes: Count,
    oldest: Oldest,
    deleted: Count.describe('Values that were deleted by classes until now'),
    nextTime: IsoTime.nullable().describe(
      'When they are looked through next; null without a class',
    ),
    devices: z.array(StoredDevice).describe('With the most bytes first, 100 at most'),
  })
  .meta({ id: 'StoredValues' });

export const StoredQuery = input({});

type Row = { deviceId: string; deviceName: string | null; profileId: string | null } & Record<
  'values' | 'bytes',
  number
> & { oldest: Date };

const storedByDevice = (q: Queries, tenantId: string) =>
  sql<Row>`
      with each_of as (
        select device_id, sum(value_count)::float8 as n, min(start) as oldest,
          sum(pg_column_size(hour) + ${CLOSED_BYTES}::int)::float8 as bytes
        from svc_value_hour where tenant_id = ${tenantId} group by 1
        union all
        select device_id, count(*)::float8, min(create_time), count(*)::float8 * ${HOT_BYTES}::int
        from svc_point_value where tenant_id = ${tenantId} group by 1)
      select e.device_id, d.device_name, d.profile_id, sum(n)::float8 as values, min(e.oldest) as oldest,
        sum(bytes)::float8 as bytes
      from each_of e left join svc_device d on d.tenant_id = ${tenantId} and d.id = e.device_id
      group by 1, 2, 3 order by bytes desc, 1`.execute(q);

/** What is stored of values, and from when on it is kept, by device. Reads all closed rows of the tenant, not their values. */
export const storedValues: Operation<object, z.output<typeof StoredValues>> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [ends, run, { rows }] = await Promise.all([
      endsOf(q, tenantId, app.clock.now()),
      q
        .selectFrom('svc_retention_run')
        .select(['dueTime', 'valueCount'])
        .where('tenantId', '=', tenantId)
        .executeTakeFirst(),
      storedByDevice(q, tenantId),
    ]);
    const oldest = rows.reduce<Date | null>(
      (first, row) => (first === null || row.oldest < first ? row.oldest : first),
      null,
    );
    const endFor = ({ profileId }: Row): number | null => {
      const end = profileId === null ? undefined : ends.ofProfile.get(profileId);
      return end === undefined ? ends.ofOthers : end;
    };
    return {
      values: rows.reduce((sum, { values }) => sum + values, 0),
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
      oldest: oldest?.toISOString() ?? null,
      deleted: Number(run?.valueCount ?? 0),
      nextTime: run?.dueTime.toISOString() ?? null,
      devices: rows.slice(0, MAX_DEVICES).map((row) => {
        const end = endFor(row);
        return {
          deviceId: row.deviceId,
          deviceName: row.deviceName ?? '',
          values: row.values,
          bytes: row.bytes,
          oldest: row.oldest.toISOString(),
          keptFrom: end === null ? null : new Date(end).toISOString(),
        };
      }),
    };
  });
