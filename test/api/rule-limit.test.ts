import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { conditionWords, ruleReport } from '../../src/alarm/explain/rule-report.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { rowOf } from '../../src/kernel/entity/row.ts';
import { DATA, watch } from '../support/devices/notify.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, report } from '../tools/agent.ts';

const MANAGER = '/api/v3/manager';
const MINUTE = 60_000;
const world = startedWorld();

const FIRING = 1;
const content = (attribute: string, more: object = {}) => ({
  condition: { field: 'calValue', operator: '>', threshold: 90, attribute },
  ...more,
});

/** A rule above 90, or above what the device has for an attribute; `limit` gives it one. */
async function limited(kind: 'driver' | 'point', more: object = {}) {
  const attributeCode = fresh('limit').replaceAll(' ', '-');
  // The plant is made with the rule, so the attribute goes to another driver first.
  const watched = await watch(world, {});
  const { driverId, deviceId, temperature: pointId } = watched.plant;
  const attributeId = z.string().parse(
    await world.admin.data(`${MANAGER}/${kind}_attribute/add`, {
      attributeName: attributeCode,
      attributeCode,
      attributeTypeFlag: 'DOUBLE',
      driverId,
    }),
  );
  const change = { id: watched.ruleId, ruleExt: { content: content(attributeCode, more) } };
  await world.admin.data(`${DATA}/rule/update`, change);
  const part = kind === 'point' ? { pointId } : {};
  const config = `${MANAGER}/${kind}_attribute_config`;
  const limit = async (configValue: string): Promise<string> =>
    z
      .string()
      .parse(
        await world.admin.data(`${config}/add`, { attributeId, deviceId, configValue, ...part }),
      );
  const relimit = (id: string, configValue: string) =>
    world.admin.data(`${config}/update`, { id, configValue });
  const unlimit = (id: string) => world.admin.data(`${config}/delete`, { id });
  const flag = async () =>
    AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId: watched.ruleId }))
      .records[0]?.['entityStateFlag'];
  const alarm = async () =>
    AnyRecords.parse(
      await world.admin.data(`${DATA}/dashboard/alert/page`, { size: 200 }),
    ).records.find((one) => one['pointId'] === pointId);
  return { ...watched, attributeCode, limit, relimit, unlimit, flag, alarm };
}

describe('a limit of a device', () => {
  it.each(['driver', 'point'] as const)(
    'is the config of its %s attribute, from the next value on; without one, the threshold',
    async (kind) => {
      const rule = await limited(kind);
      await rule.measure(80);
      const id = await rule.limit('70.5');
      await rule.measure(80);
      expect(await rule.flag()).toBe(FIRING);
      expect(await rule.alarm()).toMatchObject({
        condition: 'calValue > 70.5',
        message: expect.stringContaining('calValue = 80 (> 70.5)'),
      });
      await rule.relimit(id, '85');
      await rule.measure(80);
      expect(await rule.flag()).not.toBe(FIRING);
      await rule.unlimit(id);
      await rule.measure(89);
      expect(await rule.flag()).not.toBe(FIRING);
      await rule.measure(91);
      expect(await rule.flag()).toBe(FIRING);
      expect(await rule.alarm()).toMatchObject({ condition: 'calValue > 90' });
    },
  );

  it('moves levels and recovery with it', async () => {
    const rule = await limited('point', {
      recovery: { operator: '<', threshold: 85 },
      levels: [{ severity: 'P0', threshold: 110 }],
    });
    await rule.limit('60');
    await rule.measure(61);
    expect(await rule.alarm()).toMatchObject({ alarmLevelFlag: 2 });
    await rule.measure(81);
    expect(await rule.alarm()).toMatchObject({ alarmLevelFlag: 0 });
    await rule.measure(56);
    expect(await rule.flag()).toBe(FIRING);
    await rule.measure(54);
    expect(await rule.flag()).not.toBe(FIRING);
  });

  it('of a point goes before that of its device', async () => {
    const rule = await limited('driver');
    await rule.limit('70');
    const { driverId, deviceId, temperature: pointId } = rule.plant;
    const attributeId = await world.admin.data(`${MANAGER}/point_attribute/add`, {
      attributeName: rule.attributeCode,
      attributeCode: rule.attributeCode,
      attributeTypeFlag: 'INT',
      driverId,
    });
    const given = { attributeId, deviceId, pointId, configValue: '100' };
    await world.admin.data(`${MANAGER}/point_attribute_config/add`, given);
    await rule.measure(95);
    expect(await rule.flag()).not.toBe(FIRING);
    await rule.measure(101);
    expect(await rule.flag()).toBe(FIRING);
  });

  it('is of each condition of a set, by the point that it is on, and of both ends of a range', async () => {
    const rule = await limited('driver');
    const { driverId, deviceId, temperature: pointId } = rule.plant;
    const change = (condition: object) =>
      world.admin.data(`${DATA}/rule/update`, {
        id: rule.ruleId,
        ruleExt: { content: { condition } },
      });
    const field = 'calValue';
    const named = { field, operator: '>', threshold: 90, attribute: rule.attributeCode };
    await change({ any: [{ all: [named, { field, operator: '<', threshold: 200 }] }] });
    await rule.measure(80);
    expect(await rule.flag()).not.toBe(FIRING);
    const id = await rule.limit('70');
    await rule.measure(81);
    expect(await rule.flag()).toBe(FIRING);
    await change({
      field,
      operator: 'outside',
      low: 0,
      high: 100,
      highAttribute: rule.attributeCode,
    });
    await rule.measure(69);
    expect(await rule.flag()).not.toBe(FIRING);
    await rule.measure(71);
    expect(await rule.alarm()).toMatchObject({ condition: 'calValue outside 0 and 70' });
    // Ends that cross do not count.
    await rule.relimit(id, '-5');
    await rule.measure(50);
    expect(await rule.flag()).not.toBe(FIRING);
    const attributeId = await world.admin.data(`${MANAGER}/point_attribute/add`, {
      attributeName: rule.attributeCode,
      attributeCode: rule.attributeCode,
      attributeTypeFlag: 'INT',
      driverId,
    });
    const other = { attributeId, deviceId, pointId, configValue: '40' };
    await world.admin.data(`${MANAGER}/point_attribute_config/add`, other);
    await change({ any: [{ ...named, point: 'temperature' }] });
    await rule.measure(41);
    expect(await rule.flag()).toBe(FIRING);
  });

  it('is refused, 400, in a set as well, for an attribute that no driver has', async () => {
    const { ruleId } = await watch(world, {});
    const condition = { all: [{ operator: '>', threshold: 1, attribute: 'nowhere' }] };
    const change = { id: ruleId, ruleExt: { content: { condition } } };
    const { status, body } = await world.admin.post(`${DATA}/rule/update`, change);
    expect(`${status} ${body.message}`).toContain('no driver has an attribute “nowhere”');
  });

  it('is that of a preview, which says it with each alarm', async () => {
    const rule = await limited('driver');
    const { deviceId, temperature: pointId } = rule.plant;
    const now = world.clock.now();
    const values = [80, 60, 95].map((value, at) => ({
      deviceId,
      pointId,
      value: String(value),
      createTime: new Date(now - (10 - at) * MINUTE).toISOString(),
    }));
    await world.admin.data(`${DATA}/point_value/import`, { values });
    const ruleExt = { content: content(rule.attributeCode) };
    const Found = z.object({ count: z.number(), episodes: z.array(z.looseObject({})) });
    const tried = async () =>
      Found.parse(await world.admin.data(`${DATA}/rule/preview`, { pointId, deviceId, ruleExt }));
    expect(await tried()).toMatchObject({ count: 1, episodes: [{ limit: 90 }] });
    await rule.limit('70');
    expect(await tried()).toMatchObject({ count: 2, episodes: [{ limit: 70 }, { limit: 70 }] });
  });

  it('is refused, 400, for an attribute that no driver has, or that is no number, or secret', async () => {
    const { plant, ruleId } = await watch(world, {});
    const said = async (attribute: string) => {
      const change = { id: ruleId, ruleExt: { content: content(attribute) } };
      const { status, body } = await world.admin.post(`${DATA}/rule/update`, change);
      return `${status} ${body.message}`;
    };
    expect(await said('nowhere')).toContain(
      '400 ruleExt.content.condition.attribute: no driver has an attribute “nowhere”',
    );
    const add = (attributeCode: string, more: object) =>
      world.admin.data(`${MANAGER}/driver_attribute/add`, {
        attributeName: attributeCode,
        attributeCode,
        driverId: plant.driverId,
        ...more,
      });
    await add('words', { attributeTypeFlag: 'STRING' });
    await add('hidden', {
      attributeTypeFlag: 'DOUBLE',
      attributeExt: { content: {}, security: { secret: true } },
    });
    expect(await said('words')).toContain('“words” is no number that can be read');
    expect(await said('hidden')).toContain('“hidden” is no number that can be read');
  });

  it('is refused, 400, of what is no point', async () => {
    const rule = await limited('driver');
    const ruleExt = {
      content: {
        condition: {
          field: 'eventCode',
          operator: '==',
          threshold: 1,
          attribute: rule.attributeCode,
        },
      },
    };
    const given = { ruleName: fresh('event'), alarmTargetTypeFlag: 'EVENT', ruleExt };
    const { status, body } = await world.admin.post(`${DATA}/rule/add`, given);
    expect(`${status} ${body.message}`).toContain('400 ruleExt.content.condition.attribute: only');
  });

  it('is said with the last value of its device', async () => {
    const rule = await limited('driver');
    const { temperature: pointId, ...site } = rule.plant;
    const { driverCode } = await inTenant(world.app.db, world.admin.tenantId, (q) =>
      rowOf(q, 'svc_driver', world.admin.tenantId, site.driverId),
    );
    await report(world, world.admin, { ...site, pointId, driverCode }, [80]);
    await rule.limit('70');
    const asked = { ruleId: rule.ruleId, withValues: true };
    const { why } = await ruleReport(world.app, agentIn(world.admin), asked);
    expect(why.join(' ')).toMatch(/80.*meets its condition there: > 70/);
  });

  it('is in the words of its rule', () => {
    const { content: own } = RuleExt.parse({ content: content('max-temperature') });
    expect(conditionWords(own, '°C')).toBe("calValue > 90 °C or the device's “max-temperature”");
    const range = { field: 'value', operator: 'outside', low: 2, high: 8, lowAttribute: 'min' };
    expect(conditionWords(RuleExt.parse({ content: { condition: range } }).content, '°C')).toBe(
      "value outside 2 or the device's “min” and 8 °C",
    );
  });
});
