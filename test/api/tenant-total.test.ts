import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { examine } from '../../src/db/check.ts';
import type { Queries } from '../../src/db/connect.ts';
import { checks } from '../../src/db/consistency.ts';
import { COUNTED, entityOf, foldTotals } from '../../src/db/tenant-total.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import { onboard } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const Total = z.object({ total: z.number() });
const DEVICES = '/api/v3/manager/device/list';

const world = startedWorld();
const mine = prepared(() => world.tenant('mine'));
const plant = prepared(() => onboard(mine));

const totalOf = async (path: string, given: object = {}, session = mine): Promise<number> =>
  Total.parse(await session.data(path, given)).total;

const fold = (limit = 1_000) => acrossTenants(world.app.db, 'sweeper', (q) => foldTotals(q, limit));

/** Tables of which svc_tenant_total says something else than their rows do. */
const wrong = () =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const found = [];
    for (const check of checks.filter(({ name }) => name.startsWith('svc_tenant_total')))
      found.push(...(await examine(q, check, new Date())).first);
    return found;
  });

const changesOf = (tenantId: string, table: (typeof COUNTED)[number]) =>
  acrossTenants(world.app.db, 'doctor', (q) =>
    q
      .selectFrom('svc_tenant_total')
      .select('amount')
      .where('tenantId', '=', tenantId)
      .where('entity', '=', entityOf(table))
      .execute(),
  );

const addDevices = (q: Queries, count: number) =>
  sql<{
    id: string;
  }>`insert into svc_device (tenant_id, driver_id, profile_id, device_name, device_code)
    select ${mine.tenantId}::bigint, ${plant.driverId}::bigint, ${plant.profileId}::bigint, name, name
    from (select ${fresh('bulk')}::text || '-' || n as name from generate_series(1, ${count}::int) n) named
    returning id`.execute(q);

describe('the total of a list', () => {
  it.each([
    ['svc_device', 'manager/device/list', { enableFlag: 'ENABLE' }],
    ['svc_point', 'manager/point/list', { enableFlag: 'ENABLE' }],
    ['svc_event_history', 'data/event_history/list', { acknowledgeFlag: 'NO' }],
    ['svc_entity_alarm', 'data/dashboard/alert/page', { rangeHours: 1 }],
    ['svc_notify_history', 'data/notify/history/list', { target: 'e' }],
    ['svc_point_command_history', 'data/point_command_history/list', { type: 'WRITE' }],
    ['svc_command_history', 'data/command_history/list', { commandCode: 'none' }],
  ] as const)('of %s is the kept one unless it is narrowed', async (table, path, narrowed) => {
    const session = await world.tenant(fresh('counted').toLowerCase());
    const { tenantId } = session;
    const counted = await totalOf(`/api/v3/${path}`, narrowed, session);
    await inTenant(world.app.db, tenantId, (q) =>
      q
        .insertInto('svc_tenant_total')
        .values({ tenantId, entity: entityOf(table), amount: 7 })
        .execute(),
    );
    expect(await totalOf(`/api/v3/${path}`, {}, session)).toBe(7);
    expect(await totalOf(`/api/v3/${path}`, narrowed, session)).toBe(counted);
    await inTenant(world.app.db, tenantId, (q) =>
      q.deleteFrom('svc_tenant_total').where('tenantId', '=', tenantId).execute(),
    );
  });

  it('follows what is added, deleted and rolled back at the same time, while it is folded', async () => {
    const before = await totalOf(DEVICES);
    const change = async (round: number): Promise<number> => {
      const changing = inTenant(world.app.db, mine.tenantId, async (q) => {
        const { rows } = await addDevices(q, 1 + (round % 4));
        const [first] = rows;
        if (round % 3 === 0 && first)
          await q
            .deleteFrom('svc_device')
            .where('tenantId', '=', mine.tenantId)
            .where('id', '=', first.id)
            .execute();
        if (round % 5 === 0) throw new Error('rolled back');
        return rows.length - (round % 3 === 0 ? 1 : 0);
      });
      return changing.catch(() => 0);
    };
    const rounds = Array.from({ length: 60 }, (_, round) => round);
    const changes = Promise.all(rounds.map(change));
    const folds = Promise.all(rounds.map(() => fold(3)));
    const added = (await changes).reduce((sum, count) => sum + count, 0);
    await folds;
    expect(added).toBeGreaterThan(50);
    expect(await totalOf(DEVICES)).toBe(before + added);
    expect(await wrong()).toEqual([]);
  });

  it('is one row after the platform has folded it, and stays what it was', async () => {
    for (let n = 0; n < 3; n += 1)
      await inTenant(world.app.db, mine.tenantId, (q) => addDevices(q, 1));
    const before = await totalOf(DEVICES);
    const changes = await eventually(
      () => changesOf(mine.tenantId, 'svc_device'),
      ({ length }) => length === 1,
    );
    expect(changes).toEqual([{ amount: String(before) }]);
    expect(await totalOf(DEVICES)).toBe(before);
  });

  it('follows an import, and one that was refused', async () => {
    const before = await totalOf(DEVICES);
    const load = (table: string) =>
      fetch(
        `${world.base}/api/v3/manager/device/import?driverId=${plant.driverId}&profileId=${plant.profileId}`,
        { method: 'POST', headers: { ...mine.headers, 'content-type': 'text/csv' }, body: table },
      );
    const names = Array.from({ length: 450 }, () => fresh('row'));
    expect((await load(`deviceName\n${names.join('\n')}\n`)).status).toBe(200);
    expect((await load(`deviceName\nother-${names[0]}\n${names[1]}\n`)).status).toBe(409);
    expect(await totalOf(DEVICES)).toBe(before + names.length);
    expect(await wrong()).toEqual([]);
  });

  it('goes with its tenant', async () => {
    const code = fresh('gone').toLowerCase();
    const add = { tenantName: code, tenantCode: code };
    const id = z.string().parse(await world.admin.data('/api/v3/auth/tenant/add', add));
    await inTenant(world.app.db, id, async (q) => {
      await sql`insert into svc_event_history (tenant_id, record_id, device_id, occur_time)
        values (${id}, ${randomUUID()}, 1, now())`.execute(q);
      await sql`insert into svc_point (tenant_id, profile_id, point_name, point_code, point_type_flag)
        values (${id}, 1, 'left', 'left', 6)`.execute(q);
    });
    expect(await changesOf(id, 'svc_event_history')).toHaveLength(1);
    await inTenant(world.app.db, id, (q) =>
      q.deleteFrom('svc_profile').where('tenantId', '=', id).execute(),
    );
    await world.admin.data('/api/v3/auth/tenant/delete', {}, { id });
    for (const table of COUNTED) expect(await changesOf(id, table)).toEqual([]);
    expect(await wrong()).toEqual([]);
  });

  it('of a tenant that is gone is dropped, even if a fold had it when the tenant went', async () => {
    const gone = '4611686018427387904';
    await inTenant(world.app.db, gone, (q) =>
      q
        .insertInto('svc_tenant_total')
        .values({ tenantId: gone, entity: 'point', amount: 3 })
        .execute(),
    );
    await fold();
    expect(await changesOf(gone, 'svc_point')).toEqual([]);
  });
});
