import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Queries } from '../../src/db/connect.ts';
import { statement as compiledOnce } from '../../src/db/statement.ts';
import { acrossTenantsIf, inOneTrip, inTenant } from '../../src/db/tenant.ts';
import { EnableFlag } from '../../src/kernel/input/flag.ts';
import { startedWorld } from '../support/world/prepared.ts';

let ours: string;
let theirs: string;
const world = startedWorld();
beforeAll(async () => {
  ours = world.admin.tenantId;
  theirs = (await world.tenant('other')).tenantId;
});

const context = (q: Queries) =>
  sql<{ tenant: string | null }>`select current_setting('svc.tenant_id', true) as tenant`.execute(
    q,
  );
const profiles = (q: Queries) => q.selectFrom('svc_profile').select('profileName').execute();
const addProfile = (q: Queries, tenantId: string, name: string) =>
  q
    .insertInto('svc_profile')
    .values({ tenantId, profileName: name, profileCode: name })
    .returning('id')
    .executeTakeFirstOrThrow();
const namesIn = (tenantId: string) =>
  inTenant(world.app.db, tenantId, async (q) =>
    (await profiles(q)).map(({ profileName }) => profileName),
  );

const counting = new AsyncLocalStorage<number[]>();
const note = (message: unknown): void => {
  if (typeof message === 'object' && message !== null && 'statements' in message)
    counting.getStore()?.push(Number(message.statements));
};
beforeAll(() => subscribe('svc:trip', note));
afterAll(() => unsubscribe('svc:trip', note));

/** Statements of each trip of `work`; those of other work in this process do not count. */
async function tripsOf(work: () => Promise<unknown>): Promise<number[]> {
  const trips: number[] = [];
  await counting.run(trips, work);
  return trips;
}

describe('one trip', () => {
  it('sees the rows of its tenant only', async () => {
    await inTenant(world.app.db, theirs, (q) => addProfile(q, theirs, 'theirs'));
    const [own, foreign] = await inOneTrip(world.app.db, ours, (q) =>
      Promise.all([
        profiles(q),
        q.selectFrom('svc_profile').selectAll().where('tenantId', '=', theirs).execute(),
      ]),
    );
    expect(own).not.toContainEqual({ profileName: 'theirs' });
    expect(foreign).toEqual([]);
  });

  it('keeps nothing when one of its statements fails', async () => {
    const work = inOneTrip(world.app.db, ours, (q) =>
      Promise.all([addProfile(q, ours, 'kept'), sql`select 1 / 0`.execute(q), profiles(q)]),
    );
    await expect(work).rejects.toThrow(/division by zero/);
    expect(await namesIn(ours)).not.toContain('kept');
  });

  it('leaves no context behind, whether it worked or failed', async () => {
    for (const statement of [sql`select 1`, sql`select 1 / 0`]) {
      await inOneTrip(world.app.db, ours, (q) => statement.execute(q)).catch(() => {});
      const { rows } = await context(world.app.db.queries);
      expect(rows[0]?.tenant ?? '').toBe('');
    }
  });

  it('works again with the same texts after it failed', async () => {
    const text = (q: Queries, divisor: number) =>
      sql<{ value: number }>`select 10 / ${divisor}::int as value`.execute(q);
    const trip = (divisor: number) =>
      inOneTrip(world.app.db, ours, (q) => Promise.all([text(q, divisor), profiles(q)]));
    await expect(trip(0)).rejects.toThrow(/division/);
    for (let i = 0; i < 12; i += 1) {
      const [{ rows }] = await trip(5);
      expect(rows).toEqual([{ value: 2 }]);
    }
  });

  it('prepares more texts than a connection keeps', async () => {
    for (let i = 0; i < 450; i += 1) {
      const { rows } = await inOneTrip(world.app.db, ours, (q) =>
        sql<{ value: number }>`select ${sql.raw(String(i))} as value`.execute(q),
      );
      expect(rows).toEqual([{ value: i }]);
    }
  });

  it('refuses a query that depends on an answer', async () => {
    const work = inOneTrip(world.app.db, ours, async (q) => {
      await profiles(q);
      return profiles(q);
    });
    await expect(work).rejects.toThrow(/after the end of its transaction, or of its round trip/);
  });

  it('sees other tenants when a condition holds, and not after it', async () => {
    await inTenant(world.app.db, theirs, (q) => addProfile(q, theirs, 'seen'));
    const seenIf = async (condition: boolean) => {
      const [, found] = await inOneTrip(world.app.db, ours, (q) =>
        Promise.all([
          acrossTenantsIf(q, 'doctor', sql<boolean>`${condition}::boolean`),
          q.selectFrom('svc_profile').select('id').where('profileName', '=', 'seen').execute(),
        ]),
      );
      return found.length;
    };
    expect(await seenIf(true)).toBe(1);
    expect(await namesIn(ours)).not.toContain('seen');
    expect(await seenIf(false)).toBe(0);
  });

  it('is one write', async () => {
    const work = () =>
      inOneTrip(world.app.db, ours, (q) => Promise.all([profiles(q), profiles(q), profiles(q)]));
    expect(await tripsOf(work)).toEqual([4]);
  });
});

describe('a parameter', () => {
  const back = async (value: Date) => {
    const { rows } = await inOneTrip(world.app.db, ours, (q) =>
      sql<{
        text: string;
      }>`select (${value}::timestamptz at time zone 'UTC')::text as text`.execute(q),
    );
    return rows[0]?.text;
  };

  it.each([
    [8.64e15, '275760-09-13 00:00:00'],
    [Date.UTC(10_000, 0), '10000-01-01 00:00:00'],
    [Date.UTC(2026, 10, 22, 1, 2, 3, 4), '2026-11-22 01:02:03.004'],
    [new Date('-000043-03-15T12:00:00Z').getTime(), '0044-03-15 12:00:00 BC'],
  ])('is a time of any year: %s', async (ms, text) => {
    expect(await back(new Date(ms))).toBe(text);
  });

  it('without a text form fails its query alone, not those that travel with it', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['itself'] = cycle;
    const [before, failed, after] = await inOneTrip(world.app.db, ours, (q) =>
      Promise.allSettled([
        profiles(q),
        sql`select ${cycle}::jsonb`.execute(q),
        addProfile(q, ours, 'beside a failure'),
      ]),
    );
    expect(before.status).toBe('fulfilled');
    expect(failed).toMatchObject({ reason: expect.any(TypeError) });
    expect(after.status).toBe('fulfilled');
    expect(await namesIn(ours)).toContain('beside a failure');
  });

  it('leaves its connection in order when it has another type than it says', async () => {
    // What no schema has seen: a tenant id as a number.
    const tenantId: string = JSON.parse(`{"id":${ours}}`).id;
    expect(await inOneTrip(world.app.db, tenantId, profiles)).toEqual(
      await inOneTrip(world.app.db, ours, profiles),
    );
  });
});

describe('a transaction', () => {
  it('begins with its first queries, and takes those along that are asked side by side', async () => {
    const work = () =>
      inTenant(world.app.db, ours, async (q) => {
        await Promise.all([profiles(q), profiles(q)]);
        await profiles(q);
      });
    expect(await tripsOf(work)).toEqual([4, 1, 1]);
  });

  it('without a query asks the server nothing', async () => {
    expect(await tripsOf(() => inTenant(world.app.db, ours, async () => 'nothing'))).toEqual([]);
  });

  it('refuses a query that was not waited for, or is asked after its end', async () => {
    let late: Queries | undefined;
    let unheard: Promise<unknown> | undefined;
    await inTenant(world.app.db, ours, async (q) => {
      late = q;
      await profiles(q);
      unheard = profiles(q);
      unheard.catch(() => {});
    });
    await expect(unheard).rejects.toThrow(/after the end of its transaction/);
    await expect(late && profiles(late)).rejects.toThrow(/after the end of its transaction/);
  });

  it('is rolled back when a statement failed, even if the failure was caught', async () => {
    const work = inTenant(world.app.db, ours, async (q) => {
      await addProfile(q, ours, 'swallowed');
      await sql`select 1 / 0`.execute(q).catch(() => {});
    });
    await expect(work).rejects.toThrow(/was not committed/);
    expect(await namesIn(ours)).not.toContain('swallowed');
  });
});

describe('a statement that is compiled once', () => {
  const profileOf = compiledOnce(
    (q, { tenantId, name, size }: { tenantId: string; name: string; size: number }) =>
      q
        .selectFrom('svc_profile')
        .select('profileName')
        .where('tenantId', '=', tenantId)
        .where('profileName', '=', name)
        .where('enableFlag', '=', EnableFlag.ENABLE)
        .limit(size)
        .compile(),
  );

  it('has the values of each call, and the constants of its text', async () => {
    const { db } = world.app;
    const names = ['compiled-one', 'compiled-two'];
    for (const name of names) await inTenant(db, ours, (q) => addProfile(q, ours, name));
    const found = await inOneTrip(db, ours, (q) =>
      Promise.all(names.map((name) => profileOf(q, { tenantId: ours, name, size: 1 }))),
    );
    expect(found).toEqual(names.map((profileName) => [{ profileName }]));
    const none = { tenantId: ours, name: 'compiled-one', size: 0 };
    expect(await inOneTrip(db, ours, (q) => profileOf(q, none))).toEqual([]);
  });

  it('sees the rows of its tenant only', async () => {
    const given = { tenantId: ours, name: 'compiled-one', size: 1 };
    expect(await inOneTrip(world.app.db, theirs, (q) => profileOf(q, given))).toEqual([]);
  });
});
