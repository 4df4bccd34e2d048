import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const DAY = 86_400_000;
const above = { field: 'value', operator: '>', threshold: 90 };
const HOT = { condition: above };

const world = startedWorld();

describe('a preview of a rule, 4xx,', () => {
  let plant: Plant;
  beforeEach(async () => {
    plant = await onboard(world.admin);
  });

  const status = async (body: object, session = world.admin) =>
    (
      await session.post(`${DATA}/rule/preview`, {
        pointId: plant.temperature,
        ruleExt: { content: HOT },
        ...body,
      })
    ).status;
  const ago = (days: number) => new Date(world.clock.now() - days * DAY).toISOString();

  it('is the answer for a span that is too long, empty or ahead', async () => {
    expect(await status({ from: ago(32) })).toBe(400);
    expect(await status({ from: ago(31.5), to: ago(1) })).toBe(200);
    expect(await status({ from: ago(1), to: ago(2) })).toBe(400);
    expect(await status({ from: ago(-1) })).toBe(400);
    expect(await status({ from: 'yesterday' })).toBe(400);
  });

  it.each(['yesterday', '10.11.2026 13:00', '2026', '2026-02-30', '2026-02-29T08:30:00Z', ''])(
    'says how a time is written where %j is none',
    async (from) => {
      const body = { pointId: plant.temperature, ruleExt: { content: HOT }, from };
      const answer = await world.admin.post(`${DATA}/rule/preview`, body);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain(
        'from: expected a time such as 2026-03-01T08:30:00Z',
      );
    },
  );

  it('is the answer for a rule that makes no sense', async () => {
    expect(await status({ ruleExt: { content: { condition: { operator: 'nodata' } } } })).toBe(400);
    expect(
      await status({ ruleExt: { content: { condition: { ...above, threshold: 'hot' } } } }),
    ).toBe(400);
    expect(await status({ ruleExt: {} })).toBe(400);
    expect(await status({ pointId: 'x' })).toBe(400);
    expect(await status({ pointId: plant.target, deviceId: '999999' })).toBe(404);
  });

  it('is the answer for a device without the point', async () => {
    const { driverId } = plant;
    const profileId = await add(world.admin, 'profile', { profileName: fresh('empty') });
    const device = { deviceName: fresh('empty'), driverId, profileId };
    const deviceId = await add(world.admin, 'device', device);
    expect(await status({ deviceId })).toBe(422);
  });

  it('is 404 for a point, device or rule of another tenant', async () => {
    const theirs = await world.tenant(fresh('preview'));
    const their = await onboard(theirs);
    expect(await status({}, theirs)).toBe(404);
    expect(await status({ pointId: their.temperature })).toBe(404);
    expect(await status({ deviceId: their.deviceId })).toBe(404);
    const ruleId = await theirs.data(`${DATA}/rule/add`, {
      ruleName: fresh('theirs'),
      alarmTargetTypeFlag: 'POINT',
      entityId: their.temperature,
      ruleExt: { content: HOT },
    });
    expect(await status({ ruleId })).toBe(404);
  });

  it('is 400 where it is not said, said twice or contradicted what the rule watches', async () => {
    const none = { pointId: undefined };
    const condition = { field: 'statusName', operator: 'eq', expected: 'OFFLINE' };
    const device = { ...none, alarmTargetTypeFlag: 'DEVICE', ruleExt: { content: { condition } } };
    const { deviceId, temperature } = plant;
    const silence = { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } };
    const wrong: [object, number][] = [
      [none, 400],
      [{ ...none, entityId: temperature }, 400],
      [{ alarmTargetTypeFlag: 'POINT' }, 400],
      [{ entityId: temperature }, 400],
      [{ ...device, alarmTargetTypeFlag: 'ROOM' }, 400],
      [{ ...device, entityId: deviceId, deviceId }, 400],
      [{ ...device, alarmTargetTypeFlag: 'DRIVER', deviceId }, 400],
      [{ ...device, entityId: '999999' }, 404],
      [{ ...device, ruleExt: { content: silence } }, 422],
      [{ ...device, ruleExt: { content: HOT } }, 400],
    ];
    const answered = await Promise.all(wrong.map(([body]) => status(body)));
    expect(answered).toEqual(wrong.map(([, expected]) => expected));
    const ruleId = await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('of a point'),
      alarmTargetTypeFlag: 'POINT',
      entityId: temperature,
      ruleExt: { content: HOT },
    });
    expect(await status({ ...device, ruleId })).toBe(400);
    expect(await status({ ...device, entityId: deviceId })).toBe(200);
    expect(await status(device)).toBe(200);
  });

  it('is 404 for a device or driver of another tenant, whose outages and events it does not see', async () => {
    const theirs = await world.tenant(fresh('outages'));
    const their = await onboard(theirs);
    await inTenant(world.app.db, theirs.tenantId, (q) =>
      sql`insert into svc_event_history (tenant_id, device_id, record_id, event_code, occur_time)
        values (${theirs.tenantId}, ${their.deviceId}, gen_random_uuid(), 'leak', ${new Date(world.clock.now() - 1_000)})`.execute(
        q,
      ),
    );
    const condition = { field: 'eventCode', operator: 'eq', expected: 'leak' };
    const event = {
      pointId: undefined,
      alarmTargetTypeFlag: 'EVENT',
      ruleExt: { content: { condition } },
    };
    const of = { ...event, entityId: their.deviceId };
    expect(await status(of)).toBe(404);
    expect(await status({ ...event, deviceId: their.deviceId })).toBe(404);
    expect(await status(of, theirs)).toBe(200);
    const seen = async (session: typeof theirs) =>
      z
        .object({ count: z.number() })
        .parse(await session.data(`${DATA}/rule/preview`, { ...event, pointId: null })).count;
    const before = await seen(world.admin);
    expect(await seen(theirs)).toBe(1);
    expect(before).toBe(0);
  });

  it.each([
    ['DEVICE', 'svc-center-data:dashboard:list', 'statusName'],
    ['DRIVER', 'svc-center-data:dashboard:list', 'statusName'],
    ['EVENT', 'svc-center-data:event_history:list', 'eventCode'],
    ['POINT', 'svc-center-data:point_value:list', 'calValue'],
  ])('is 403 of a rule on a %s without %s', async (target, right, field) => {
    const rules = 'svc-center-data:rule:list';
    const content = { condition: { field, operator: 'contains', expected: 'ONLINE' } };
    const body = { pointId: undefined, alarmTargetTypeFlag: target, ruleExt: { content } };
    const others = [
      'svc-center-data:dashboard:list',
      'svc-center-data:event_history:list',
      'svc-center-data:point_value:list',
    ].filter((each) => each !== right);
    expect(await status(body, (await worker(world.admin, [rules, ...others])).session)).toBe(403);
    expect(await status(body, (await worker(world.admin, [rules, right])).session)).toBe(200);
  });

  it('is 403 without the right to see rules, or to read values', async () => {
    const rules = 'svc-center-data:rule:list';
    const values = 'svc-center-data:point_value:list';
    expect(await status({}, (await worker(world.admin, [rules])).session)).toBe(403);
    expect(await status({}, (await worker(world.admin, [values])).session)).toBe(403);
    expect(await status({}, (await worker(world.admin, [rules, values])).session)).toBe(200);
  });
});
