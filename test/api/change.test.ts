import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { csvRows } from '../../src/kernel/input/csv.ts';
import { actionsIn } from '../support/people/actions.ts';
import { request } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const MANAGER = '/api/v3/manager';
const Change = z.looseObject({
  at: z.string(),
  kind: z.string(),
  operation: z.string(),
  actorName: z.string(),
  via: z.string(),
  entityType: z.string(),
  changes: z.record(z.string(), z.unknown()),
  say: z.string(),
});
const Changes = z.object({ records: z.array(Change), nextCursor: z.string().nullable() });

const world = startedWorld();
const session = prepared(() => world.admin);
const site = prepared(() => onboardVirtual(world, 'plant'));

const changes = async (query: object = {}, by = session) =>
  Changes.parse(await by.data('/api/v3/data/change/list', query));

describe('the change log', () => {
  it('says of a configuration what it was, what it is, and by whom it was changed', async () => {
    await session.data(`${MANAGER}/point/update`, { id: site.pointId, unit: 'K', maxValue: 90 });
    const [first] = (await changes()).records;
    expect(first).toMatchObject({
      kind: 'configuration',
      operation: 'UPDATE',
      entityType: 'point',
      pointId: site.pointId,
      pointName: expect.stringContaining('plant'),
      actorId: expect.stringMatching(/^[1-9]\d*$/),
      actorName: expect.stringMatching(/./),
      via: 'login',
      changes: { unit: ['°C', 'K'], max_value: [expect.anything(), 90] },
    });
  });

  it('says nothing of an update that changes nothing', async () => {
    const toKelvin = { id: site.pointId, unit: 'K' };
    await session.data(`${MANAGER}/point/update`, toKelvin);
    const before = await changes();
    await session.data(`${MANAGER}/point/update`, toKelvin);
    expect(await changes()).toEqual(before);
  });

  it('keeps secrets to itself', async () => {
    const { records } = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await session.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' }));
    const driverId = records[0]?.id ?? '';
    const attributes = z.array(z.object({ id: z.string(), attributeCode: z.string() })).parse(
      await session.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
        driver_id: driverId,
      }),
    );
    const attributeId = attributes.find(({ attributeCode }) => attributeCode === 'pskKey')?.id;
    const { profileId } = site;
    const deviceId = await session.data(`${MANAGER}/device/add`, {
      deviceName: 'secret keeper',
      driverId,
      profileId,
    });
    const configValue = 'c0ffeec0ffeec0ffeec0ffeec0ffee00';
    await session.data(`${MANAGER}/driver_attribute_config/add`, {
      attributeId,
      deviceId,
      configValue,
    });
    const told = await changes({ deviceId });
    expect(told.records.slice(0, 2)).toMatchObject([
      { entityType: 'driver_attribute_config', entityName: 'pskKey', operation: 'ADD' },
      { entityType: 'device', operation: 'ADD', deviceName: 'secret keeper' },
    ]);
    expect(JSON.stringify(told)).not.toContain(configValue);
    // Nor as it is sealed.
    expect(JSON.stringify(told)).not.toContain('enc:');
  });

  it('hides from a key what only a login may read', async () => {
    const credential = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const target0 = 'https://example.com/old';
    const channel = { channelName: 'chat', channelTypeFlag: 2, target: target0, credential };
    const id = await session.data('/api/v3/data/notify/channel/add', channel);
    const target = 'https://example.com/secret-in-the-path';
    await session.data('/api/v3/data/notify/channel/update', { id, target });
    expect((await changes()).records[0]?.changes).toMatchObject({
      target: [channel.target, target],
    });
    const { key } = z
      .object({ key: z.string() })
      .parse(await session.data('/api/v3/auth/key/add', { keyName: 'reader' }));
    const headers = { authorization: `Bearer ${key}` };
    const answer = await request(world.base, 'POST', '/api/v3/data/change/list', {
      headers,
      body: {},
    });
    const { records } = Changes.parse(answer.body.data);
    expect(records[0]).toMatchObject({ entityType: 'notify_channel', operation: 'UPDATE' });
    expect(records[0]?.changes).toMatchObject({ target: ['******', '******'] });
    expect(JSON.stringify(records)).not.toContain('example.com');
  });

  it('hides from a key where people called from', async () => {
    await session.data(`${MANAGER}/profile/add`, { profileName: 'from somewhere' });
    const { actionId } = await actionsIn(world, session).proposeIn(site, '22');
    await session.data('/api/v3/agentic/action/reject', { actionId });
    const sources = (given: unknown) =>
      z
        .object({ records: z.array(z.looseObject({ source: z.string() })) })
        .parse(given)
        .records.map(({ source }) => source);
    const [decided, , made] = sources(await session.data('/api/v3/data/change/list', {}));
    expect([decided, made]).toEqual(['127.0.0.1', '127.0.0.1']);
    const { key } = z
      .object({ key: z.string() })
      .parse(await session.data('/api/v3/auth/key/add', { keyName: 'curious' }));
    const answer = await request(world.base, 'POST', '/api/v3/data/change/list', {
      headers: { authorization: `Bearer ${key}` },
      body: {},
    });
    const told = sources(answer.body.data);
    expect(told.length).toBeGreaterThan(2);
    expect(new Set(told)).toEqual(new Set(['']));
  });

  it('tells of a proposal, its rejection, and a write with what became of it', async () => {
    const actions = actionsIn(world, session);
    const rejected = await actions.proposeIn(site, '23');
    await actions.decide('reject', rejected.actionId, { reason: 'too warm' });
    const card = await actions.proposeIn(site, '24');
    expect(await actions.decide('confirm', card.actionId, { wait_ms: 10_000 })).toMatchObject({
      status: 200,
    });
    const { records } = await changes({ deviceId: site.deviceId, limit: 6 });
    const operations = records.map(({ operation }) => operation);
    for (const one of ['action:propose', 'action:reject', 'action:confirm', 'WRITE'])
      expect(operations).toContain(one);
    const write = records.find(({ kind }) => kind === 'write');
    expect(write).toMatchObject({ actionId: card.actionId, say: expect.stringContaining('24') });
    const confirm = records.find(({ operation }) => operation === 'action:confirm');
    expect(confirm).toMatchObject({ via: 'login', actorName: expect.stringMatching(/./) });
  });

  it('is read page by page without losing or repeating a row, also within one millisecond', async () => {
    const whole = (await changes({ limit: 100 })).records;
    const paged: z.infer<typeof Change>[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const next = await changes({ limit: 3, ...(cursor ? { cursor } : {}) });
      paged.push(...next.records);
      cursor = next.nextCursor;
    }
    expect(whole.length).toBeGreaterThan(8);
    expect(paged).toEqual(whole);
    const since = whole[3]?.at ?? '';
    expect((await changes({ since, limit: 100 })).records.every(({ at }) => at >= since)).toBe(
      true,
    );
  });

  it('loses no row where the database knows a time to the microsecond', async () => {
    const mine = await world.tenant('microseconds');
    await inTenant(world.app.db, mine.tenantId, (q) =>
      sql`insert into svc_change_log (tenant_id, entity_type, entity_id, entity_name, operation, create_time)
        select ${mine.tenantId}::bigint, 'device', 1, n::text, 'ADD',
          '2026-01-01T00:00:00Z'::timestamptz + n * interval '100 microseconds'
        from generate_series(1, 5) n`.execute(q),
    );
    const first = await changes({ limit: 2 }, mine);
    const second = await changes({ limit: 3, cursor: first.nextCursor }, mine);
    expect([...first.records, ...second.records]).toMatchObject(
      ['5', '4', '3', '2', '1'].map((entityName) => ({ entityName })),
    );
  });

  it('names the caller that deleted something, which the row cannot say any more', async () => {
    const labelled = await session.data(`${MANAGER}/profile/add`, { profileName: 'short-lived' });
    await session.post(`${MANAGER}/profile/delete`, undefined, {
      id: z.string().parse(labelled),
    });
    const [gone] = (await changes()).records;
    expect(gone).toMatchObject({
      operation: 'DELETE',
      entityType: 'profile',
      entityName: 'short-lived',
      via: 'login',
    });
    expect(gone?.actorName).not.toBe('');
  });

  it('belongs to its tenant', async () => {
    const other = await world.tenant('elsewhere');
    expect(await changes({}, other)).toEqual({ records: [], nextCursor: null });
    expect(await changes({ deviceId: site.deviceId }, other)).toEqual({
      records: [],
      nextCursor: null,
    });
  });

  it('refuses a cursor of its own making', async () => {
    const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const at = '2026-01-01T00:00:00.000000Z';
    for (const cursor of [
      'x',
      made(at),
      made(at, 'write', '9999999999999999999'),
      made(at, 'wri\0te', '1'),
      made('0000-01-01T00:00:00.000000Z', 'write', '1'),
    ])
      expect((await session.post('/api/v3/data/change/list', { cursor })).status).toBe(400);
    for (const since of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59'])
      expect((await session.post('/api/v3/data/change/list', { since })).status).toBe(400);
  });

  it('cannot be changed afterwards, by the application itself either', async () => {
    for (const statement of [
      "update svc_change_log set actor_name = 'someone else'",
      'delete from svc_change_log',
    ])
      await expect(
        inTenant(world.app.db, session.tenantId, (q) => sql.raw(statement).execute(q)),
      ).rejects.toThrow(/permission denied/);
  });

  it('is narrowed by kind, person, door and time, and refuses a filter that it does not know', async () => {
    const all = (await changes({ limit: 100 })).records;
    const configured = (await changes({ limit: 100, kind: 'configured', via: 'login' })).records;
    expect(configured.length).toBeGreaterThan(0);
    expect(configured).toEqual(all.filter((row) => configured.some(({ at }) => at === row.at)));
    expect((await changes({ by: 'not a person' })).records).toEqual([]);
    expect((await changes({ until: all.at(-1)?.at, limit: 1 })).records).not.toContainEqual(all[0]);
    expect((await changes({ until: '2001-01-01T00:00:00Z' })).records).toEqual([]);
    for (const path of ['list', 'export'])
      expect((await session.post(`/api/v3/data/change/${path}`, { kinds: 'x' })).status).toBe(400);
  });

  it('is the history of one thing: its changes, and the writes of a point', async () => {
    const history = { limit: 100, entityType: 'point', entityId: site.pointId };
    const rows = (await changes(history)).records;
    const all = (await changes({ limit: 100 })).records;
    expect(rows).toEqual(
      all.filter((row) => row.entityType === 'point' && row.entityId === site.pointId),
    );
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['configuration', 'write']));
    expect((await changes({ ...history, kind: 'decided' })).records).toEqual([]);
    expect((await changes({ ...history, entityType: 'rule' })).records).toEqual([]);
    for (const wrong of [{ entityId: 'x' }, { entityId: '7' }, { entityType: 'p'.repeat(65) }])
      expect((await session.post('/api/v3/data/change/list', wrong)).status).toBe(400);
    const profiles = (await changes({ limit: 100, entityType: 'profile' })).records;
    expect(new Set(profiles.map(({ entityType }) => entityType))).toEqual(new Set(['profile']));
  });

  it('is narrowed by the name of what was changed, its device or its point, and never by a value', async () => {
    const pointName = 'Durchfluss 17';
    await session.data(`${MANAGER}/point/update`, { id: site.pointId, pointName });
    await session.data(`${MANAGER}/point/update`, { id: site.pointId, remark: 'only-in-a-value' });
    const found = (await changes({ text: 'durchFLUSS 1', limit: 100 })).records;
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter((row) => row.pointName !== pointName)).toEqual([]);
    expect((await changes({ text: 'only-in-a-value' })).records).toEqual([]);
    expect((await changes({ text: '%' })).records).toEqual([]);
  });

  it('is a table with every change of at most 366 days, also of more than one page', async () => {
    for (let n = 0; n < 105; n += 1)
      await session.data(`${MANAGER}/point/update`, { id: site.pointId, maxValue: 200 + n });
    const { headers } = session;
    const at = `${world.base}/api/v3/data/change/export`;
    const text = await (await fetch(`${at}?kind=configured`, { method: 'POST', headers })).text();
    const [titles = [], ...rows] = await Array.fromAsync(csvRows(text, 100_000));
    const column = (title: string) => rows.map((cells) => cells[titles.indexOf(title)]);
    const changed = column('changes').filter((cell) => cell?.includes('max_value'));
    expect(new Set(changed).size).toBe(changed.length);
    expect(changed.length).toBeGreaterThan(105);
    expect(new Set(column('source'))).toContain('127.0.0.1');
    const long = { since: '2020-01-01T00:00:00Z', until: '2022-01-01T00:00:00Z' };
    expect((await session.post('/api/v3/data/change/export', long)).status).toBe(400);
  });
});
