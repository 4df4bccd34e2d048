import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';

import { inOneTrip } from '../../src/db/tenant.ts';
import { interleave } from '../support/runs/isolation/interleave.ts';
import { openSite } from '../support/runs/isolation/site.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

/** A part of what `npm run prove -- isolation` does. */
const INTERLEAVINGS = 300;
const SEED = 20_261_122;
const shares = { tooLong: 0.008, disturbed: 0.1, redefined: 0.02, raised: 0.03 };

const database = prepared(() => freshDatabase('migrated'));
const site = prepared(() => openSite(database.environment));
afterAll(async () => {
  await site?.close();
  await database?.remove();
});

it('keeps tenants, answers and failures apart on one connection', async () => {
  const { wrong, ends } = await interleave(site, { seed: SEED, to: INTERLEAVINGS, shares });
  expect(wrong).toEqual([]);
  // Division by zero, a row twice, a foreign tenant, a wrong text, a stale statement: each happened.
  expect([...ends.keys()]).toEqual(
    expect.arrayContaining(['done', '22012', '23505', '42501', '22P02', '0A000']),
  );
});

it('keeps no statement prepared of trips that failed one after the other', async () => {
  for (let n = 0; n < 20; n += 1) {
    const trip = inOneTrip(site.db, '101', (q) =>
      Promise.all([sql`select 'failing'`.execute(q), sql`select 1 / 0`.execute(q)]),
    );
    await expect(trip).rejects.toThrow(/division/);
  }
  const { rows } = await sql<{ nr: string }>`select count(*)::text as nr
    from pg_prepared_statements where statement in ('select ''failing''', 'select 1 / 0')`.execute(
    site.db.queries,
  );
  expect(Number(rows[0]?.nr)).toBeLessThanOrEqual(2);
});
