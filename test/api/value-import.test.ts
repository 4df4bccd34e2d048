import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report, type Site } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const IMPORT = `${DATA}/point_value/import`;
const HOUR = 3_600_000;
const Envelope = z.object({ code: z.string(), message: z.string(), data: z.unknown().optional() });
const Values = z.array(z.looseObject({ calValue: z.string(), createTime: z.string() }));

let site: Site;
const world = startedWorld();

beforeEach(async () => {
  site = await onboard(world.admin, fresh('site'));
});

const ago = (ms: number): string => new Date(world.clock.now() - ms).toISOString();
const value = (text: string, createTime: string, more: object = {}) => {
  const { deviceId, pointId } = site;
  return { deviceId, pointId, value: text, createTime, ...more };
};
const table = (rows: readonly { value: string; createTime: string }[]): string =>
  [
    'deviceId,pointId,value,createTime',
    ...rows.map((row) => [site.deviceId, site.pointId, row.value, row.createTime].join(',')),
  ].join('\r\n');
const load = async (csv: string) => {
  const headers = { ...world.admin.headers, 'content-type': 'text/csv' };
  const response = await fetch(world.base + IMPORT, { method: 'POST', headers, body: csv });
  return { status: response.status, ...Envelope.parse(await response.json()) };
};
const history = async () =>
  Values.parse(
    await world.admin.data(
      `${DATA}/point_value/list_history_by_device_id_and_point_id`,
      undefined,
      {
        device_id: site.deviceId,
        point_id: site.pointId,
      },
    ),
  );

describe('past values', () => {
  it('come as JSON or as a table, once, however often; one of another value stays as it is', async () => {
    const at = ago(HOUR);
    const values = [value('20', at), value('21', at), value('19.5', ago(2 * HOUR))];
    expect(await world.admin.data(IMPORT, { values })).toEqual({
      importId: expect.stringMatching(/^\d+$/),
      accepted: 3,
      stored: 3,
    });
    expect(await load(table(values))).toMatchObject({
      status: 200,
      data: { accepted: 3, stored: 0 },
    });
    expect(await world.admin.data(IMPORT, { values: [value('99', at)] })).toMatchObject({
      stored: 0,
    });
    const more = [value('22', at, { seq: 7 })];
    expect(await world.admin.data(IMPORT, { values: more })).toMatchObject({ stored: 1 });
    expect((await history()).map(({ calValue }) => calValue)).toEqual(['22', '21', '20', '19.5']);
    expect((await history())[0]).toMatchObject({ numValue: 22, quality: 'GOOD' });
  });

  it('change no latest value, fire no rule and break no silence', async () => {
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('too hot'),
      alarmTargetTypeFlag: 'POINT',
      entityId: site.pointId,
      ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 80 } } },
    });
    await report(world, world.admin, site, [20]);
    const { deviceId, pointId } = site;
    const latest = async () =>
      AnyRecords.parse(await world.admin.data(`${DATA}/point_value/latest`, { deviceId, pointId }))
        .records[0];
    const before = await latest();
    world.clock.shift(60_000);
    await world.admin.data(IMPORT, { values: [value('99', ago(1_000)), value('99', ago(HOUR))] });
    const { ageS: _age, ...after } = z.looseObject({ ageS: z.number() }).parse(await latest());
    expect(before).toMatchObject(after);
    const states = await world.admin.data(`${DATA}/rule/state/list`, { entityId: pointId });
    expect(AnyRecords.parse(states).records).toEqual([]);
  });

  it('have times in the zone that is stated, or with an offset', async () => {
    const csv = table(
      ['2026-03-01 08:30', '2026-03-01T08:31:00+02:00', '2026-03-29T02:30:00'].map((at) =>
        value('20', at),
      ),
    );
    const headers = { ...world.admin.headers, 'content-type': 'text/csv' };
    const path = `${world.base}${IMPORT}?timezone=Europe/Berlin`;
    expect((await fetch(path, { method: 'POST', headers, body: csv })).status).toBe(200);
    const span = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
    const of = { device_id: site.deviceId, point_id: site.pointId, ...span };
    const url = `${world.base}${DATA}/point_value/export?${new URLSearchParams(of).toString()}`;
    const stored = await (await fetch(url, { headers: world.admin.headers })).text();
    expect(stored.match(/^2026[^,]+/gm)).toEqual([
      '2026-03-01T06:31:00.000Z',
      '2026-03-01T07:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ]);
    const seconds = { values: [{ ...value('20', ''), createTime: 1_767_225_600 }] };
    expect((await world.admin.post(IMPORT, seconds)).status).toBe(400);
  });

  it('are audited', async () => {
    await world.admin.data(IMPORT, { values: [value('20', ago(HOUR)), value('21', ago(60_000))] });
    const entries = await world.admin.data('/api/v3/auth/identity_audit/list', {
      action: 'IMPORT',
    });
    expect(entries).toMatchObject([
      { resourceType: 'point_value', resourceId: site.deviceId, detailExt: { values: 2 } },
      ...z.array(z.unknown()).parse(entries).slice(1),
    ]);
  });

  it.each([
    ['is no number', '422: Row 3: the value must be a DOUBLE', 'warm', () => ago(HOUR)],
    ['lies ahead', '422: Row 3: createTime lies ahead', '20', () => ago(-HOUR)],
    ['has no time', '422: Row 3: createTime expected a time', '20', () => 'yesterday'],
    ['has the time of another form', '422: Row 3: createTime', '20', () => '10.11.2026 13:00'],
    ['has a year alone', '422: Row 3: createTime', '20', () => '2026'],
    ['has no offset', '422: Row 3: createTime', '20', () => '2026-03-01T08:30:00'],
  ])('of which one %s are refused, all of them', async (_what, why, text, at) => {
    const { status, message } = await load(
      table([value('20', ago(HOUR)), { value: text, createTime: at() }]),
    );
    expect(`${status}: ${message}`).toContain(why);
    expect(await history()).toEqual([]);
  });

  it('of what the tenant does not have are refused in the same words', async () => {
    const other = await world.tenant(fresh('other'));
    const foreign = await onboard(other, fresh('foreign'));
    const at = ago(HOUR);
    for (const { deviceId, pointId } of [foreign, { ...site, deviceId: '999999' }]) {
      const values = [{ deviceId, pointId, value: '20', createTime: at }];
      expect(await world.admin.post(IMPORT, { values })).toMatchObject({
        status: 422,
        body: { message: 'values.0: there is no such point of such a device' },
      });
    }
  });

  it.each([
    ['neither values nor a table', {}, 400],
    ['both', { values: [], csv: '' }, 400],
    ['a table without titles', { csv: '' }, 400],
    ['a table without a value', { csv: 'deviceId,pointId,createTime' }, 400],
    ['a column that is none', { csv: 'deviceId,pointId,value,createTime,colour' }, 422],
    ['a value without a time', { values: [{ deviceId: '1', pointId: '1', value: '1' }] }, 400],
  ])('from %s are refused', async (_what, body, status) => {
    expect((await world.admin.post(IMPORT, body)).status).toBe(status);
  });

  it('are bounded, and no token opens the way', async () => {
    const many = `deviceId,pointId,value,createTime\r\n${'1,1,1,2026-01-01\r\n'.repeat(20_001)}`;
    expect(await load(many)).toMatchObject({ status: 400 });
    const token = await bearerFor(world.admin, { scope: 'svc:read' });
    const response = await fetch(world.base + IMPORT, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ values: [value('20', ago(HOUR))] }),
    });
    expect([401, 403]).toContain(response.status);
    expect(await history()).toEqual([]);
  });
});
