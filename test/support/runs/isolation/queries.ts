import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../../../src/db/connect.ts';
import type { Random } from '../../hostile/random.ts';
import { type Site, TOO_LONG_S } from './site.ts';

/** More than a connection keeps prepared. */
const TEXTS = 900;
/** More parameters than a prepared statement may have. */
const MANY = 70;

/** What a trip did, for the judge. */
export type Trip = {
  name: string;
  random: Random;
  tenant: string;
  other: string;
  /** Whether its queries may see the rows of the other tenant. */
  isFree: boolean;
  /** Something in it has to fail. */
  fails: boolean;
  /** What it wrote, by marker, in case it is kept. */
  written: string[];
  /** What must never be there. */
  refused: string[];
  wrong: string[];
};

type Answered = { marker: string; tenants: string };

let markers = 0;
export const nextMarker = (trip: Trip): string => `${trip.name}#${++markers}`;

/** Asks a query that has to answer with its marker, and with rows of the trip's tenant alone. */
async function ask(
  trip: Trip,
  q: Queries,
  marker: string,
  query: RawBuilder<Answered>,
  rowsAtLeast = 1,
): Promise<void> {
  const { rows } = await query.execute(q);
  if (rows.length < rowsAtLeast) trip.wrong.push(`no answer to ${marker}`);
  for (const row of rows) {
    if (row.marker !== marker) trip.wrong.push(`answer to ${row.marker} came to ${marker}`);
    const foreign = row.tenants.split(',').filter((id) => id !== '' && id !== trip.tenant);
    if (foreign.length > 0 && !trip.isFree) trip.wrong.push(`foreign rows: ${marker}`);
  }
}

const recent = sql`(select coalesce(string_agg(tenant_id::text, ','), '')
  from (select tenant_id from proof_row order by id desc limit 20) found)`;

function read(trip: Trip, q: Queries): Promise<void> {
  const marker = nextMarker(trip);
  const text = trip.random.chance(0.3) ? trip.random.upTo(TEXTS) : 0;
  return ask(
    trip,
    q,
    marker,
    sql`select ${marker}::text as marker, ${recent} as tenants, ${sql.raw(String(text))} as nr`,
  );
}

/** Its columns follow the table: a change of the table makes the prepared statement stale. */
function readAll(trip: Trip, q: Queries): Promise<void> {
  const marker = nextMarker(trip);
  return ask(
    trip,
    q,
    marker,
    sql`select found.*, tenant_id::text as tenants, ${marker}::text as marker
      from (select id, tenant_id, slot, note from proof_row order by id desc limit 3) found`,
    0,
  );
}

function readMany(trip: Trip, q: Queries): Promise<void> {
  const marker = nextMarker(trip);
  const list = sql.join(Array.from({ length: MANY }, (_, at) => sql`${at}::int`));
  return ask(
    trip,
    q,
    marker,
    sql`select ${marker}::text as marker, ${recent} as tenants where 7 in (${list})`,
  );
}

export function write(trip: Trip, q: Queries, marker = nextMarker(trip)): Promise<void> {
  trip.written.push(marker);
  return ask(
    trip,
    q,
    marker,
    sql`insert into proof_row (tenant_id, marker) values (${trip.tenant}, ${marker})
      returning marker, tenant_id::text as tenants`,
  );
}

/** Must touch nothing, but in a transaction over all tenants. */
async function changeForeign(trip: Trip, q: Queries): Promise<void> {
  if (trip.isFree) return write(trip, q);
  const { rows } = await sql`update proof_row set note = 'taken' where tenant_id = ${trip.other}
    returning id`.execute(q);
  if (rows.length > 0) trip.wrong.push(`changed foreign rows: ${trip.name}`);
}

/** Each fails at another place: while asked, bound, executed, checked by row security, or at the commit. */
const failures: readonly ((trip: Trip, q: Queries) => Promise<unknown>)[] = [
  (_, q) => sql`select ${new Date(Number.NaN)}::timestamptz`.execute(q),
  (_, q) => sql`select ${'no number'}::int`.execute(q),
  ({ random }, q) => sql`select ${random.upTo(9)}::int / ${0}::int as nr`.execute(q),
  ({ random }, q) => sql`select ${sql.raw(`missing_${random.upTo(TEXTS)}`)}`.execute(q),
  async (trip, q) => {
    const marker = nextMarker(trip);
    await Promise.all([write(trip, q, marker), write(trip, q, marker)]);
  },
  (trip, q) => {
    const marker = nextMarker(trip);
    const tenant = trip.isFree ? null : trip.other;
    trip.refused.push(marker);
    return sql`insert into proof_row (tenant_id, marker) values (${tenant}, ${marker})`.execute(q);
  },
  (trip, q) => {
    const marker = nextMarker(trip);
    trip.written.push(marker);
    return sql`insert into proof_row (tenant_id, marker, slot)
      values (${trip.tenant}, ${marker}, 1), (${trip.tenant}, ${`${marker}b`}, 1)`.execute(q);
  },
];

export function fail(trip: Trip, q: Queries, where?: 'at the server'): Promise<unknown> {
  trip.fails = true;
  return trip.random.pick(where ? failures.slice(1) : failures)(trip, q);
}

export async function tooLong(trip: Trip, q: Queries): Promise<void> {
  trip.fails = true;
  await sql`select pg_sleep(${TOO_LONG_S})`.execute(q);
}

export const query = (trip: Trip, q: Queries): Promise<void> =>
  trip.random.pick([read, read, readAll, readMany, write, write, changeForeign])(trip, q);

/** Queries side by side, a part of which may have to fail. */
export async function sideBySide(trip: Trip, q: Queries, failing: boolean): Promise<void> {
  const queries: Promise<unknown>[] = [];
  const count = 1 + trip.random.upTo(4);
  const at = failing ? trip.random.upTo(count) : -1;
  for (let n = 0; n < count; n += 1) queries.push(n === at ? fail(trip, q) : query(trip, q));
  await Promise.all(queries);
}

/** Runs statements as the owner of the tables, on the same connection, inside of a transaction. */
export const asOwner = async (q: Queries, statement: RawBuilder<unknown>): Promise<void> => {
  await sql`set local role none`.execute(q);
  await statement.execute(q);
};

/** What a transaction must not leave on its connection; throws when the connection does not answer. */
export async function leftBehind({ db }: Site): Promise<string> {
  const { rows } = await sql<{ left: string }>`
    select concat_ws('|', nullif(current_setting('svc.tenant_id', true), ''),
      nullif(current_setting('svc.tenant_free', true), ''),
      nullif(current_setting('svc.actor', true), ''),
      nullif(current_user::text, 'svc_app')) as "left"`.execute(db.queries);
  return rows[0]?.left ?? 'nothing answered';
}
