import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Int8, named, stored, Time } from '../../kernel/entity/answer.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { DeletionState } from '../retention/deletion-run.ts';
import type { StoredValue } from '../value/stored-value.ts';

/** Imports of a tenant that begin in the same millisecond get the next ones. */
const MAX_AT_ONCE = 10_000;

/** An import of past values, and how far it is undone. */
export const ValueImport = stored('ValueImport', {
  importName: z.string().describe('How many values of which days of the plant'),
  fromTime: Time.describe('Of the first value'),
  toTime: Time.describe('Of the last value'),
  sentCount: z.number().int(),
  valueCount: z.number().int().describe('Values that were new'),
  undoFlag: z.nullable(named(DeletionState)).describe('Of its last undo; null: there is none'),
  undoneCount: Int8.describe('Values that were deleted by undoing it'),
});
type ValueImport = z.output<typeof ValueImport.schema>;

/** An import that stores its values: the time (ms) at which they are received is that of no other one. */
export type Import = { id: string; received: number };

type Sent = { count: number; from: number; to: number };

/** Adds an import of so many values of a span (ms). */
export async function beginImport(
  q: Queries,
  app: App,
  caller: Caller,
  { count, from, to }: Sent,
): Promise<Import> {
  const { tenantId } = caller;
  const receiveTime = await freeTime(q, tenantId, app.clock.now());
  const span = [...new Set([from, to].map((at) => dayIn(at, caller.timezone)))].join(' – ');
  const id = await addRow(q, app, caller, 'svc_value_import', {
    importName: `${count} ${count === 1 ? 'value' : 'values'}, ${span}`,
    receiveTime,
    fromTime: new Date(from),
    toTime: new Date(to),
    sentCount: count,
  });
  return { id, received: receiveTime.getTime() };
}

/** A day of the plant: a name is read in any zone, and says no time of one. */
const dayIn = (at: number, zone: string = UTC): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString();

/** Until the end of the transaction no other import of the tenant takes a time. */
async function freeTime(q: Queries, tenantId: string, now: number): Promise<Date> {
  const [, { rows }] = await Promise.all([
    sql`select pg_advisory_xact_lock(hashtextextended(${`value import ${tenantId}`}::text, 0))`.execute(
      q,
    ),
    sql<{ at: Date }>`
      select at from generate_series(0, ${MAX_AT_ONCE - 1}::int) n,
        lateral (select ${new Date(now)}::timestamptz + n * interval '1 millisecond' as at) t
      where not exists (select from svc_value_import i where i.tenant_id = ${tenantId} and i.receive_time = t.at)
      order by n limit 1`.execute(q),
  ]);
  if (!rows[0]) throw new Error(`${MAX_AT_ONCE} imports have the time of this one`);
  return rows[0].at;
}

/** Notes which points values of an import were stored of, and how many. */
export async function noteImported(
  q: Queries,
  tenantId: string,
  { id }: Import,
  { values, count }: { values: readonly StoredValue[]; count: number },
): Promise<void> {
  if (count === 0) return;
  await Promise.all([
    sql`
      insert into svc_value_import_series as s (tenant_id, import_id, device_id, point_id, from_time, to_time)
      select ${tenantId}::bigint, ${id}::bigint, device_id, point_id, min(at), max(at)
      from unnest(${values.map(({ deviceId }) => deviceId)}::bigint[],
        ${values.map(({ pointId }) => pointId)}::bigint[],
        ${values.map(({ originTime }) => new Date(originTime))}::timestamptz[]) as v (device_id, point_id, at)
      group by device_id, point_id
      on conflict (tenant_id, import_id, device_id, point_id) do update set
        from_time = least(s.from_time, excluded.from_time), to_time = greatest(s.to_time, excluded.to_time)`.execute(
      q,
    ),
    sql`update svc_value_import set value_count = value_count + ${count}
      where tenant_id = ${tenantId} and id = ${id}`.execute(q),
  ]);
}

export const ImportQuery = input({ page: Page });

/** Newest first. */
export const page: Operation<z.output<typeof ImportQuery>, Paged<ValueImport>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageOf(
      q
        .selectFrom('svc_value_import as i')
        .selectAll('i')
        .select([
          sql<number | null>`(select d.state_flag ${undosOf} order by d.id desc limit 1)`.as(
            'undoFlag',
          ),
          sql<string>`(select coalesce(sum(d.value_count), 0) ${undosOf})`.as('undoneCount'),
        ])
        .where('i.tenantId', '=', tenantId)
        .orderBy('i.id', 'desc'),
      given.page,
      ValueImport.of,
    ),
  );

const undosOf = sql`from svc_value_deletion d where d.tenant_id = i.tenant_id and d.import_id = i.id`;
