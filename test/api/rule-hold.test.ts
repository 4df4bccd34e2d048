import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { scanHeld } from '../../src/alarm/watch/held.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const PENDING = 0;
const FIRING = 1;
const RECOVERED = 2;
const CLOSED = 3;

let world: World;
let session: Session;
let plant: Plant;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  session = await world.tenant(fresh('hold'));
  plant = await onboardQuiet(world, session);
});

/** A rule on the temperature, which only the test reports. */
const rule = async (content: object, given: object = {}): Promise<string> =>
  z.string().parse(
    await session.data(`${DATA}/rule/add`, {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
      ...given,
    }),
  );
const hot = { field: 'value', operator: '>', threshold: 90 };
const stateOf = async (ruleId: string) =>
  AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
const measure = (values: Record<string, string | number>) => {
  const { deviceId, driverId, temperature: pointId } = plant;
  return evaluate(world.app, session.tenantId, 'POINT', [
    { entityId: pointId, deviceId, driverId, pointId, values, at: world.clock.now() },
  ]);
};
let seq = 0;
/** A value of the temperature from its driver. */
const report = (calValue: string, quality: 0 | 1 | 2) => {
  const { deviceId, driverId, temperature: pointId } = plant;
  const { tenantId } = session;
  const numValue = quality === 2 ? null : Number(calValue);
  const value = { deviceId, pointId, rawValue: calValue, calValue, numValue, quality, seq: ++seq };
  const values = [{ ...value, originTime: world.clock.now() }];
  const batch = { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values };
  return world.bus.handled('svc.e.value', batch, 'VirtualDriver');
};

describe('a hold time', () => {
  it('ends without another value: a device that reports changes alone sends none', async () => {
    const ruleId = await rule({ condition: hot, window: { duration: 'PT5M' } });
    await measure({ value: 99 });
    world.clock.shift(4 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: 0 });
    world.clock.shift(2 * MINUTE);
    await scanHeld(world.app, 'value');
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING, triggerCount: '1' });
  });

  it('of a device that is offline ends while it is', async () => {
    const condition = { field: 'statusName', operator: 'eq', expected: 'OFFLINE' };
    const ruleId = await rule(
      { condition, window: { duration: 'PT10M' } },
      { alarmTargetTypeFlag: 'DEVICE', entityId: plant.deviceId },
    );
    const say = (statusName: string) => {
      const { deviceId, driverId } = plant;
      return evaluate(world.app, session.tenantId, 'DEVICE', [
        {
          entityId: deviceId,
          deviceId,
          driverId,
          pointId: '0',
          values: { statusName },
          at: world.clock.now(),
        },
      ]);
    };
    await say('OFFLINE');
    world.clock.shift(9 * MINUTE);
    await say('ONLINE');
    world.clock.shift(2 * MINUTE);
    await scanHeld(world.app, 'state');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: CLOSED });
    await say('OFFLINE');
    world.clock.shift(11 * MINUTE);
    await scanHeld(world.app, 'state');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
  });

  it('of a recovery ends without another value too', async () => {
    const recovery = { operator: '<', threshold: 80, duration: 'PT5M' };
    const ruleId = await rule({ condition: hot, recovery });
    await measure({ value: 99 });
    world.clock.shift(MINUTE);
    await measure({ value: 70 });
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    world.clock.shift(6 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });
});

describe('a rule whose alarm only a person ends', () => {
  const confirm = async (alarmId: string) => {
    await session.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
    await sweepLedger(world.app);
  };
  const heat = async (value: number) => {
    world.clock.shift(MINUTE);
    await measure({ value: value });
  };

  it('fires again after it was confirmed when it was normal', async () => {
    const ruleId = await rule({ condition: hot, recovery: { enabled: false } });
    await heat(95);
    await heat(20);
    const first = await stateOf(ruleId);
    expect(first).toMatchObject({ entityStateFlag: FIRING });
    await confirm(String(first?.['alarmId']));
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: CLOSED });
    await heat(96);
    const second = await stateOf(ruleId);
    expect(second).toMatchObject({ entityStateFlag: FIRING, triggerCount: '2' });
    expect(second?.['alarmId']).not.toBe(first?.['alarmId']);
  });

  it('stays while its condition does, and is over with it when it was confirmed before', async () => {
    const ruleId = await rule({ condition: hot, recovery: { enabled: false } });
    await heat(95);
    await confirm(String((await stateOf(ruleId))?.['alarmId']));
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    await heat(20);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: CLOSED });
  });
});

describe('a value that comes while the scan finds the silence before it', () => {
  it('ends it, or keeps it from beginning', async () => {
    const content = { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } };
    const ruleId = await rule(content);
    await report('20', 0);
    for (let round = 0; round < 20; round += 1) {
      world.clock.shift(11 * MINUTE);
      await Promise.all([createSilenceScan(world.app)([]), report('20', 0)]);
      expect((await stateOf(ruleId))?.['entityStateFlag'] ?? CLOSED).not.toBe(FIRING);
    }
  });
});

describe('a sensor that reports bad values', () => {
  const silence = { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } };

  it('is silent to a rule on silence, until a good value comes', async () => {
    const ruleId = await rule(silence);
    await report('20', 0);
    for (let minute = 0; minute < 12; minute += 4) {
      world.clock.shift(4 * MINUTE);
      await report('NaN', 2);
    }
    await createSilenceScan(world.app)([]);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    await report('NaN', 2);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    world.clock.shift(MINUTE);
    await report('21', 0);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });

  it('is not silent where a good value came between', async () => {
    const ruleId = await rule(silence);
    world.clock.shift(8 * MINUTE);
    await report('20', 0);
    world.clock.shift(4 * MINUTE);
    await report('NaN', 2);
    await createSilenceScan(world.app)([]);
    expect(await stateOf(ruleId)).toBeUndefined();
  });

  it('fires a rule on its quality, and one on a missing number; no other rule sees it', async () => {
    const bad = await rule({ condition: { field: 'quality', operator: 'eq', expected: 'BAD' } });
    const missing = await rule({ condition: { field: 'numValue', operator: 'missing' } });
    const high = await rule({ condition: { field: 'calValue', operator: '>', threshold: 5 } });
    await report('20', 0);
    world.clock.shift(MINUTE);
    await report('NaN', 2);
    expect(await stateOf(bad)).toMatchObject({ entityStateFlag: FIRING });
    expect(await stateOf(missing)).toMatchObject({ entityStateFlag: FIRING });
    expect(await stateOf(high)).toMatchObject({ entityStateFlag: FIRING, triggerCount: '1' });
    world.clock.shift(MINUTE);
    await report('20', 0);
    expect(await stateOf(bad)).toMatchObject({ entityStateFlag: RECOVERED });
    expect(await stateOf(missing)).toMatchObject({ entityStateFlag: RECOVERED });
  });
});

describe('a rule on bad values that must stay for a time', () => {
  const bad = { field: 'quality', operator: 'eq', expected: 'BAD' };
  const given = { condition: bad, window: { duration: 'PT5M' } };

  it('fires with the value that ends it', async () => {
    const ruleId = await rule(given);
    await report('NaN', 2);
    world.clock.shift(3 * MINUTE);
    await report('NaN', 2);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: PENDING });
    world.clock.shift(3 * MINUTE);
    await report('NaN', 2);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING, triggerCount: '1' });
    await report('20', 0);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });

  it('fires without another value, and not where a good one came between', async () => {
    const ruleId = await rule(given);
    await report('NaN', 2);
    world.clock.shift(3 * MINUTE);
    await report('20', 0);
    world.clock.shift(3 * MINUTE);
    await scanHeld(world.app, 'value');
    expect((await stateOf(ruleId))?.['entityStateFlag']).not.toBe(FIRING);
    await report('NaN', 2);
    world.clock.shift(6 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
  });
});

describe('a thousand rules on silence of one tenant', () => {
  it('keep those of another from nothing', async () => {
    const mine = session;
    await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .insertInto('svc_rule')
        .values(
          Array.from({ length: 1_001 }, (_, at) => ({
            tenantId: mine.tenantId,
            ruleName: `silent ${at}`,
            alarmTargetTypeFlag: 0,
            entityId: plant.target,
            ruleExt: JSON.stringify({
              content: { condition: { operator: 'nodata' }, window: { duration: 'P1D' } },
            }),
          })),
        )
        .execute(),
    );
    session = await world.tenant(fresh('later'));
    plant = await onboardQuiet(world, session);
    const content = { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } };
    const ruleId = await rule(content);
    world.clock.shift(11 * MINUTE);
    const scan = createSilenceScan(world.app);
    await scan([]);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    // The next scans go on with the others, and begin again.
    await scan([]);
    world.clock.shift(24 * 60 * MINUTE);
    await scan([]);
    await scan([]);
    const firing = await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .selectFrom('svc_rule_state')
        .select(sql<string>`count(distinct rule_id)`.as('count'))
        .where('tenantId', '=', mine.tenantId)
        .where('ruleId', '<>', '0')
        .executeTakeFirstOrThrow(),
    );
    expect(Number(firing.count)).toBe(1_001);
  });
});
