import { setImmediate as turn } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Queries } from '../../../../src/db/connect.ts';
import {
  acrossTenants,
  acrossTenantsIf,
  acrossTenantsWithin,
  inOneTrip,
  inTenant,
} from '../../../../src/db/tenant.ts';
import {
  asOwner,
  fail,
  nextMarker,
  query,
  sideBySide,
  tooLong,
  type Trip,
  write,
} from './queries.ts';
import type { Site } from './site.ts';

const LATE = /after the end of its transaction, or of its round trip/;
const FAILING = 0.2;

export type Kind = (site: Site, trip: Trip) => Promise<unknown>;

/** Of a transaction that is repeated only the last attempt may be kept. */
const begin = (trip: Trip): void => {
  trip.refused.push(...trip.written.splice(0));
  trip.fails = false;
};

const oneTrip: Kind = ({ db }, trip) =>
  inOneTrip(db, trip.tenant, (q) => {
    begin(trip);
    return sideBySide(trip, q, trip.random.chance(FAILING));
  });

async function steps(trip: Trip, q: Queries): Promise<void> {
  begin(trip);
  const count = 1 + trip.random.upTo(3);
  const failing = trip.random.chance(FAILING) ? trip.random.upTo(count) : -1;
  for (let n = 0; n < count; n += 1) {
    await sideBySide(trip, q, n === failing);
    if (trip.random.chance(0.4)) await turn();
  }
}

const transaction: Kind = ({ db }, trip) => inTenant(db, trip.tenant, (q) => steps(trip, q));

const overAll: Kind = ({ db }, trip) => {
  trip.isFree = true;
  return acrossTenants(db, 'doctor', (q) => steps(trip, q));
};

const overAllWithin: Kind = ({ db }, trip) =>
  inTenant(db, trip.tenant, async (q) => {
    begin(trip);
    await query(trip, q);
    const failing = trip.random.chance(FAILING);
    await acrossTenantsWithin(q, 'doctor', () =>
      sideBySide({ ...trip, isFree: true }, q, failing).finally(() => {
        trip.fails = failing;
      }),
    );
    await query(trip, q);
  });

const overAllIf: Kind = ({ db }, trip) =>
  inOneTrip(db, trip.tenant, (q) => {
    begin(trip);
    const isFree = trip.random.chance(0.5);
    return Promise.all([
      query(trip, q),
      acrossTenantsIf(q, 'doctor', sql<boolean>`${isFree}::boolean`),
      query({ ...trip, isFree }, q),
    ]);
  });

/** The error of a statement is caught: the server has undone the transaction all the same. */
const swallowed: Kind = ({ db }, trip) =>
  inTenant(db, trip.tenant, async (q) => {
    begin(trip);
    await write(trip, q);
    await fail(trip, q, 'at the server').catch(() => {});
    await query(trip, q).catch(() => {});
  });

/** A query that depends on an answer of its own trip. */
const dependent: Kind = ({ db }, trip) => {
  let isAnswered = false;
  const work = inOneTrip(db, trip.tenant, async (q) => {
    begin(trip);
    await write(trip, q);
    isAnswered = true;
    await refuse(trip, q);
  });
  return work.catch((error: unknown) => {
    if (!isAnswered || !isLate(error)) throw error;
  });
};

/** A query that is not waited for, and one that is asked after the end. */
const unheard: Kind = async ({ db }, trip) => {
  let late: Queries | undefined;
  let refusal: Promise<unknown> | undefined;
  await inTenant(db, trip.tenant, async (q) => {
    begin(trip);
    late = q;
    await write(trip, q);
    refusal = refuse(trip, q).catch(noteRefusal(trip));
  });
  await refusal;
  if (late) await refuse(trip, late).catch(noteRefusal(trip));
};

const isLate = (error: unknown): boolean => error instanceof Error && LATE.test(error.message);
const noteRefusal =
  (trip: Trip) =>
  (error: unknown): void => {
    if (!isLate(error)) trip.wrong.push(`not refused as late: ${String(error)}`);
  };

async function refuse(trip: Trip, q: Queries): Promise<void> {
  const marker = nextMarker(trip);
  trip.refused.push(marker);
  await sql`insert into proof_row (tenant_id, marker) values (${trip.tenant}, ${marker})`.execute(
    q,
  );
  trip.wrong.push(`a late query was answered: ${marker}`);
}

export const kinds: readonly Kind[] = [
  oneTrip,
  oneTrip,
  oneTrip,
  transaction,
  transaction,
  overAll,
  overAllWithin,
  overAllIf,
  swallowed,
  dependent,
  unheard,
];

/** A trip that takes longer than its server or its caller waits. */
export const slow: Kind = ({ db }, trip) =>
  trip.random.chance(0.5)
    ? inOneTrip(db, trip.tenant, (q) => {
        begin(trip);
        return Promise.all([write(trip, q), tooLong(trip, q), query(trip, q)]);
      })
    : inTenant(db, trip.tenant, async (q) => {
        begin(trip);
        await write(trip, q);
        if (trip.random.chance(0.5)) await sql`set local statement_timeout = 0`.execute(q);
        const end = tooLong(trip, q);
        await (trip.random.chance(0.5) ? end : end.catch(() => {}));
      });

/** Changes a table under the statements that are prepared for it. */
export const redefine: Kind = ({ db }, trip) =>
  acrossTenants(db, 'doctor', (q) =>
    asOwner(
      q,
      sql`alter table proof_row alter column note type ${sql.raw(trip.random.pick(['text', 'varchar(80)']))}`,
    ),
  );

/** Makes what others remember of a tenant outdated. */
export const raise: Kind = ({ db }, trip) =>
  acrossTenants(db, 'doctor', (q) =>
    asOwner(
      q,
      sql`insert into svc_tenant_version (tenant_id, rights) values (${trip.tenant}, 1)
        on conflict (tenant_id) do update set rights = svc_tenant_version.rights + 1`,
    ),
  );
