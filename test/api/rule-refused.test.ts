import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { addTo } from '../support/devices/notify.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const condition = { field: 'value', operator: '>', threshold: 90 };
const HOT = { condition };

const world = startedWorld();
const plant = prepared<Plant>(() => onboardQuiet(world, world.admin));
const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
const one = async (path: string, id: string) =>
  z
    .record(z.string(), z.unknown())
    .parse(await world.admin.data(`${DATA}/${path}/get_by_id`, undefined, { id }));
const ruleOf = (content: object, more: object = {}) => ({
  ruleName: fresh('rule'),
  alarmTargetTypeFlag: 'POINT',
  entityId: plant.temperature,
  ruleExt: { content },
  ...more,
});
const addRule = (content: object, more: object = {}) =>
  addTo(world.admin, 'rule', ruleOf(content, more));
const said = (answer: { status: number; body: { message?: unknown } }): string =>
  `${answer.status} ${String(answer.body.message)}`;

describe('a member of a rule that is not known, 400,', () => {
  it.each([
    ['deviceId', ruleOf.bind(null, HOT, { deviceId: '1' }), 'deviceId: “deviceId” is not known'],
    ['ruleNam', ruleOf.bind(null, HOT, { roleName: 'a' }), 'did you mean “ruleName”?'],
    ['severty', ruleOf.bind(null, { ...HOT, severty: 'P0' }), 'did you mean “severity”?'],
    ['for', ruleOf.bind(null, { ...HOT, for: 'PT5M' }), 'known here: condition, window, recovery'],
    ['schedule', ruleOf.bind(null, { ...HOT, schedule: {} }), 'ruleExt.content.schedule: '],
    [
      'window.durationMs',
      ruleOf.bind(null, { ...HOT, window: { durationMs: 5 } }),
      'ruleExt.content.window.durationMs: “durationMs” is not known; did you mean “duration”?',
    ],
    [
      'condition.hysteresis',
      ruleOf.bind(null, { condition: { ...condition, hysteresis: 2 } }),
      'ruleExt.content.condition.hysteresis: ',
    ],
    [
      'recovery.treshold',
      ruleOf.bind(null, { ...HOT, recovery: { operator: '<', treshold: 8 } }),
      'did you mean “threshold”?',
    ],
    [
      'ruleExt.contents',
      ruleOf.bind(null, HOT, { ruleExt: { content: HOT, contents: {} } }),
      'did you mean “content”?',
    ],
  ])('is refused and named: %s', async (_key, make, words) => {
    const made = make();
    expect(said(await post('rule/add', made))).toMatch(/^400 /);
    expect(said(await post('rule/add', made))).toContain(words);
    const id = await addRule(HOT);
    const { alarmTargetTypeFlag: _, ...change } = made;
    expect(said(await post('rule/update', { ...change, id }))).toContain(words);
  });

  it('is refused by a preview, which takes no member of a rule', async () => {
    const pointId = plant.temperature;
    const ruleExt = { content: { ...HOT, severty: 'P0' } };
    expect(said(await post('rule/preview', { pointId, ruleExt }))).toContain('“severity”');
    const other = { pointId, ruleExt: { content: HOT }, ruleName: 'hot' };
    expect(said(await post('rule/preview', other))).toContain('400 ruleName: ');
  });
});

describe('what clients send of a rule', () => {
  it('is taken: what was answered, common fields, names and members that are null', async () => {
    const own = {
      ...HOT,
      window: { mode: 'LAST', duration: 'PT1M', minSamples: 1 },
      condition: { ...condition, unit: '°C', expected: null, low: null, high: null },
      recovery: { enabled: true, operator: null, threshold: null, duration: null },
      eventType: 'heat',
      labels: ['a'],
    };
    const id = await addRule(own, {
      id: '5',
      tenantId: world.admin.tenantId,
      signature: 'x',
      version: 1,
      type: 'rule',
      entityName: 'temperature',
      notifyName: null,
      creatorName: 'me',
      createTime: '2026-01-01 00:00:00.000',
      entityStateFlag: 1,
      triggerCount: '5',
      deviceId: null,
      ruleExt: { type: 'rule', version: 1, remark: 'mine', content: own },
    });
    const read = await one('rule', id);
    expect(said(await post('rule/update', read))).toMatch(/^200/);
    const { records } = AnyRecords.parse(await world.admin.data(`${DATA}/rule/list`, {}));
    const listed = records.find((each) => each['id'] === id);
    expect(said(await post('rule/update', listed ?? {}))).toMatch(/^200/);
    expect((await one('rule', id))['ruleExt']).toEqual(read['ruleExt']);
  });
});

describe('a rule that can never do what it says, 400,', () => {
  let lamp: string;
  beforeEach(async () => {
    const { profileId } = plant;
    const point = { pointName: fresh('lamp'), pointTypeFlag: 'BOOLEAN', rwFlag: 'READ_ONLY' };
    lamp = await add(world.admin, 'point', { ...point, profileId });
  });

  it.each([
    [{ condition: { ...condition, field: 'temprature' } }, 'no field “temprature”'],
    [{ ...HOT, recovery: { operator: '>', threshold: 95 } }, 'ruleExt.content.recovery: '],
    [{ condition: { field: 'value', operator: 'eq', expected: 'hot' } }, '“hot” is none'],
    [{ condition: { field: 'value', operator: '>', threshold: 'hot' } }, 'threshold, a number'],
    [{ condition: { field: 'value', operator: 'between', low: 2, high: 1 } }, 'above high'],
  ])('is refused when it is added, changed and tried: %j', async (content, words) => {
    const pointId = plant.temperature;
    const id = await addRule(HOT);
    const ruleExt = { content };
    for (const answer of [
      await post('rule/add', ruleOf(content)),
      await post('rule/update', { id, ruleExt }),
      await post('rule/preview', { pointId, ruleExt }),
    ]) {
      expect(said(answer)).toMatch(/^400 ruleExt\.content\./);
      expect(said(answer)).toContain(words);
    }
  });

  it('is refused by the type of its point, and taken where that is not known', async () => {
    const content = { condition: { field: 'value', operator: 'eq', expected: 'on' } };
    expect(said(await post('rule/add', ruleOf(content, { entityId: lamp })))).toMatch(/^400 /);
    await addRule(content, { entityId: '0' });
    const device = { alarmTargetTypeFlag: 'DEVICE', entityId: plant.deviceId };
    expect(said(await post('rule/add', ruleOf(HOT, device)))).toContain('see no field “value”');
  });

  it('is still read when it is stored, fires, and can be sent back', async () => {
    const id = await addRule(HOT);
    const { tenantId } = world.admin;
    const stored = { content: { ...HOT, recovery: { operator: '>', threshold: 95 }, for: 'PT5M' } };
    await inTenant(world.app.db, tenantId, (q) =>
      q
        .updateTable('svc_rule')
        .set({ ruleExt: JSON.stringify(stored) })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute(),
    );
    await reported(plant.temperature, '94');
    const { records } = AnyRecords.parse(
      await world.admin.data(`${DATA}/rule/state/list`, { ruleId: id }),
    );
    expect(records).toMatchObject([{ entityStateFlag: 1 }]);
    const read = await one('rule', id);
    expect(said(await post('rule/update', { ...read, ruleName: fresh('renamed') }))).toMatch(
      /^200/,
    );
  });

  const reported = async (pointId: string, calValue: string, numValue = Number(calValue)) => {
    const { deviceId, driverId } = plant;
    const { tenantId } = world.admin;
    const originTime = world.clock.now();
    const value = {
      deviceId,
      pointId,
      rawValue: calValue,
      calValue,
      numValue,
      quality: 0 as const,
    };
    const values = [{ ...value, originTime, seq: (seq += 1) }];
    const batch = { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values };
    await world.bus.handled('svc.e.value', batch, 'VirtualDriver');
  };
  let seq = 0;

  it.each([
    [{ field: 'value', operator: '==', expected: 'true' }],
    [{ field: 'calValue', operator: 'eq', expected: '1' }],
    [{ field: 'calValue', operator: '==', threshold: 1 }],
    [{ field: 'rawValue', operator: 'eq', expected: 'TRUE' }],
  ])('is none on a BOOLEAN, however the device says it: %j', async (asked) => {
    const id = await addRule(
      { condition: asked, recovery: { operator: '==', threshold: 0 } },
      { entityId: lamp },
    );
    const state = async () =>
      AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId: id })).records;
    for (const [on, off] of [
      ['true', 'false'],
      ['1', '0'],
    ] as const) {
      world.clock.shift(1_000);
      await reported(lamp, on, 1);
      expect(await state()).toMatchObject([{ entityStateFlag: 1 }]);
      world.clock.shift(1_000);
      await reported(lamp, off, 0);
      expect(await state()).toMatchObject([{ entityStateFlag: 2 }]);
    }
  });
});

describe('the rules of a tenant', () => {
  it('are refused above 10,000 that are enabled, by the next one and by enabling one', async () => {
    const session = await world.tenant(fresh('many'));
    const { tenantId } = session;
    const every = { ...ruleOf(HOT), entityId: '0' };
    const spare = await addTo(session, 'rule', { ...every, enableFlag: 'DISABLE' });
    await inTenant(world.app.db, tenantId, async (q) => {
      for (let part = 0; part < 10; part += 1)
        await q
          .insertInto('svc_rule')
          .values(
            Array.from({ length: 1_000 }, (_, n) => ({
              tenantId,
              ruleName: `rule ${part} ${n}`,
              alarmTargetTypeFlag: 0,
              ruleExt: '{}',
            })),
          )
          .execute();
    });
    const next = () => session.post(`${DATA}/rule/add`, { ...every, ruleName: fresh('next') });
    const enable = { id: spare, enableFlag: 'ENABLE' };
    const words = '422 A tenant has at most 10000 enabled rules';
    expect(said(await next())).toContain(words);
    expect(said(await session.post(`${DATA}/rule/update`, enable))).toContain(words);
    const { records } = AnyRecords.parse(await session.data(`${DATA}/rule/list`, {}));
    await session.data(`${DATA}/rule/delete`, { id: records[0]?.['id'] });
    expect(said(await session.post(`${DATA}/rule/update`, enable))).toMatch(/^200/);
    expect(said(await next())).toContain(words);
  });
});
