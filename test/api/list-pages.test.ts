import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Queries } from '../../src/db/connect.ts';
import { onIndexedPage } from '../../src/db/query-page.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { DeviceQuery, devicesIn } from '../../src/manager/device/device.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const Found = z.object({ total: z.number(), records: z.array(z.looseObject({ id: z.string() })) });
const Named = z.object({
  total: z.number(),
  records: z.array(z.object({ id: z.string(), deviceName: z.string() })),
});
const ROWS = 45;
const SIZE = 10;

const world = startedWorld();
const mine = prepared(() => world.tenant('mine'));
beforeAll(async () => {
  for (const { tenantId } of [mine, await world.tenant('theirs')])
    await inTenant(world.app.db, tenantId, (q) => fill(q, tenantId));
});

/** Five rows of each kind have the same time. */
async function fill(q: Queries, tenantId: string): Promise<void> {
  const rows = sql`(select n, timestamptz '2026-01-01' + n / 5 * interval '1 second' as at
    from generate_series(1, ${ROWS}::int) n) numbered`;
  await sql`insert into svc_device (tenant_id, driver_id, profile_id, device_name, device_code, create_time)
    select ${tenantId}::bigint, 1, 1, 'device ' || n, 'device-' || n, at from ${rows}`.execute(q);
  await sql`insert into svc_point (tenant_id, profile_id, point_name, point_code, point_type_flag, create_time)
    select ${tenantId}::bigint, 1, 'point ' || n, 'point-' || n, 6, at from ${rows}`.execute(q);
  await sql`insert into svc_entity_alarm (tenant_id, alarm_target_type_flag, entity_id, alarm_type_flag,
      alarm_source_flag, confirm_flag, create_time)
    select ${tenantId}::bigint, 1, 1, 0, 0, n % 2, at from ${rows}`.execute(q);
}

const idsOf = (table: string, where: string): Promise<string[]> =>
  inTenant(world.app.db, mine.tenantId, async (q) => {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}
      where tenant_id = ${mine.tenantId} and ${sql.raw(where)}
      order by create_time desc, id desc`.execute(q);
    return rows.map(({ id }) => id);
  });

describe('the pages of a list', () => {
  it.each([
    ['svc_device', 'manager/device/list', {}, 'true'],
    ['svc_device', 'manager/device/list', { deviceName: '3' }, "device_name like '%3%'"],
    ['svc_point', 'manager/point/list', {}, 'true'],
    ['svc_point', 'manager/point/list', { pointCode: '-2' }, "point_code like '%-2%'"],
    ['svc_entity_alarm', 'data/dashboard/alert/page', {}, 'true'],
    ['svc_entity_alarm', 'data/dashboard/alert/page', { confirmFlag: 1 }, 'confirm_flag = 1'],
  ])('have each row of %s once, newest first (%s %j)', async (table, path, given, where) => {
    const expected = await idsOf(table, where);
    const seen: string[] = [];
    for (let current = 1; current <= Math.ceil(expected.length / SIZE) + 1; current += 1) {
      const page = { current, size: SIZE };
      const at = path.endsWith('/page') ? page : { page };
      const found = Found.parse(await mine.data(`/api/v3/${path}`, { ...given, ...at }));
      expect(found.total).toBe(expected.length);
      seen.push(...found.records.map(({ id }) => id));
    }
    expect(seen).toEqual(expected);
  });

  it.each([
    [1, 'Index Scan', '-createTime', 'svc_device_newest'],
    [3, 'Index Only Scan', '-createTime', 'svc_device_newest'],
    [3, 'Index Only Scan', 'createTime', 'svc_device_newest'],
    [1, 'Index Scan', 'deviceName', 'svc_device_by_name'],
    [3, 'Index Only Scan', '-deviceName', 'svc_device_by_name'],
  ])(
    'page %i is found in the index of the order, behind row-level security (%s %s)',
    async (current, type, orderBy, index) => {
      const plan = await inTenant(world.app.db, mine.tenantId, async (q) => {
        // The table is too small for an index to pay.
        await sql`set local enable_seqscan = off`.execute(q);
        await sql`set local enable_bitmapscan = off`.execute(q);
        const page = { current, size: SIZE };
        const listed = devicesIn(q, mine.tenantId, DeviceQuery.parse({ page, orderBy }), 0);
        return JSON.stringify(await onIndexedPage(listed, page).explain('json'));
      });
      expect(plan).toContain(`"Node Type":"${type}"`);
      expect(plan).toContain(`"Index Name":"${index}"`);
    },
  );

  it('are in the order of the names of devices as people count them, with their status, or oldest first', async () => {
    const other = await world.tenant('ordered');
    const { driverId, profileId } = await onboard(other);
    const names = ['Boiler 10', 'boiler 2', 'Boiler 1', 'Ölkessel', 'Anlage 007', 'anlage 8'];
    const body = { driverId, profileId, remark: 'ordered' };
    for (const deviceName of names) await add(other, 'device', { ...body, deviceName });
    const listed = async (given: object): Promise<string[]> => {
      const seen: string[] = [];
      for (const current of [1, 2, 3, 4]) {
        const asked = { ...given, page: { current, size: 2 } };
        const found = Named.parse(await other.data('/api/v3/manager/device/list', asked));
        const status = await other.data('/api/v3/data/device/status/list', asked);
        const ids = found.records.map(({ id }) => id);
        expect(Object.keys(z.looseObject({}).parse(status)).toSorted()).toEqual(ids.toSorted());
        expect(found.total).toBe(names.length + 1);
        seen.push(...found.records.map(({ deviceName }) => deviceName));
      }
      return seen.filter((name) => names.includes(name));
    };
    const ordered = ['Anlage 007', 'anlage 8', 'Boiler 1', 'boiler 2', 'Boiler 10', 'Ölkessel'];
    expect(await listed({ orderBy: 'deviceName' })).toEqual(ordered);
    expect(await listed({ orderBy: '-deviceName' })).toEqual(ordered.toReversed());
    expect(await listed({ orderBy: 'createTime' })).toEqual(names);
    expect(await listed({})).toEqual(names.toReversed());
    // The longest name that the API takes, with as many numbers as it can have, and one that came by another way.
    await add(other, 'device', { ...body, deviceName: '𝟙7'.repeat(32) });
    await inTenant(world.app.db, other.tenantId, (q) =>
      sql`update svc_device set device_name = repeat('7 long ', 200)
        where device_name = 'Boiler 1'`.execute(q),
    );
    const wrong = await other.post('/api/v3/manager/device/list', { orderBy: 'remark' });
    expect(wrong.status).toBe(400);
  });
});
