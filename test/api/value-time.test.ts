import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { digests } from '../../src/data/digest/digests.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
const HOUR = 3_600_000;
type Value = Payload<'svc.e.value'>['values'][number];
const Older = z.object({
  next: z.string().nullable(),
  records: z.array(z.looseObject({ value: z.string() })),
});
const Values = z.array(z.looseObject({ calValue: z.string(), cursor: z.string() }));

let plant: Plant & { driverCode: string };
let seq = 0;
const world = startedWorld();

beforeEach(async () => {
  const room = await onboard(world.admin);
  const driverCode = fresh('TestDriver');
  const driverId = await add(world.admin, 'driver', {
    driverName: driverCode,
    driverCode,
    serviceName: 'svc-driver-test',
  });
  const { profileId } = room;
  const device = { deviceName: fresh('probe'), driverId, profileId };
  plant = { ...room, driverCode, driverId, deviceId: await add(world.admin, 'device', device) };
});

const value = (calValue: string, originTime: number, given: Partial<Value> = {}): Value => ({
  deviceId: plant.deviceId,
  pointId: plant.temperature,
  rawValue: calValue,
  calValue,
  numValue: Number(calValue),
  originTime,
  seq: (seq += 1),
  quality: 0,
  ...given,
});
const report = (...values: Value[]) => {
  const { driverId, driverCode } = plant;
  const { tenantId } = world.admin;
  const batch = { tenantId, driverId, driverCode, node: 'node-1', values };
  return world.bus.handled('svc.e.value', batch, driverCode);
};
const latest = async () => {
  const { deviceId, temperature: pointId } = plant;
  const page = await world.admin.data(`${DATA}/point_value/latest`, { deviceId, pointId });
  return AnyRecords.parse(page).records[0];
};
const history = async (query: Record<string, string>) =>
  Values.parse(
    await world.admin.data(
      `${DATA}/point_value/list_history_by_device_id_and_point_id`,
      undefined,
      {
        device_id: plant.deviceId,
        point_id: plant.temperature,
        ...query,
      },
    ),
  );
const rule = async (content: object, more: object = {}): Promise<string> =>
  z.string().parse(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
      ...more,
    }),
  );
const above80 = { condition: { field: 'calValue', operator: '>', threshold: 80 }, severity: 'P0' };
const states = async (ruleId: string) =>
  AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records;

describe('a value of a clock that is ahead', () => {
  it('of 20 hours silences no rule and freezes no latest', async () => {
    const ruleId = await rule(above80);
    const ahead = world.clock.now() + 20 * HOUR;
    await report(value('20', ahead));
    expect(await latest()).toMatchObject({
      calValue: '20',
      quality: 'UNCERTAIN',
      claimedTime: new Date(ahead).toISOString(),
      valueIssue: 'The time of the device lay ahead; it is the time of reception',
    });
    for (let i = 0; i < 5; i += 1) {
      world.clock.shift(SECOND);
      await report(value('99', world.clock.now()));
    }
    expect(await latest()).toMatchObject({ calValue: '99', quality: 'GOOD', claimedTime: null });
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1, triggerCount: '5' }]);
  });

  it('of a minute keeps its time, and gives way as soon as the clock is right again', async () => {
    const ruleId = await rule(above80);
    const ahead = world.clock.now() + 60 * SECOND;
    await report(value('20', ahead));
    expect(await latest()).toMatchObject({
      quality: 'GOOD',
      createTime: new Date(ahead).toISOString(),
      claimedTime: null,
    });
    world.clock.shift(SECOND);
    await report(value('99', world.clock.now()));
    expect(await latest()).toMatchObject({ calValue: '99' });
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1 }]);
    // What was measured before and comes late still changes nothing.
    await report(value('20', world.clock.now() - HOUR));
    expect(await latest()).toMatchObject({ calValue: '99' });
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1 }]);
  });

  it('that was stored before gives way to the next, as latest and in the state of a rule', async () => {
    const ruleId = await rule(above80);
    await report(value('20', world.clock.now() - SECOND));
    const ahead = new Date(world.clock.now() + 20 * HOUR);
    await inTenant(world.app.db, world.admin.tenantId, async (q) => {
      await q
        .updateTable('svc_point_latest')
        .set({ createTime: ahead })
        .where('deviceId', '=', plant.deviceId)
        .execute();
      await q
        .updateTable('svc_rule_state')
        .set({ lastFactTime: ahead })
        .where('ruleId', '=', ruleId)
        .execute();
    });
    await report(value('99', world.clock.now()));
    expect(await latest()).toMatchObject({ calValue: '99' });
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1 }]);
  });

  it('lies within the window that ends now', async () => {
    await report(value('20', world.clock.now() + 60 * SECOND));
    const { deviceId, temperature: pointId } = plant;
    const asked = { pairs: [{ deviceId, pointId }], from: world.clock.now() - HOUR };
    expect(await digests(world.app, agentIn(world.admin), asked)).toMatchObject([{ count: 1 }]);
  });
});

describe('an event of a clock that is ahead', () => {
  const event = (eventCode: string, occurTime: number) =>
    world.bus.handled(
      'svc.e.event',
      {
        schemaVersion: 1,
        recordId: randomUUID(),
        tenantId: world.admin.tenantId,
        deviceId: plant.deviceId,
        eventCode,
        eventType: 'ALERT',
        eventLevel: 'HIGH',
        params: { level: eventCode === 'over' ? '0' : '1' },
        message: '',
        occurTime,
      },
      world.admin.tenantId,
    );

  it('has the time of reception and shows what it claimed', async () => {
    const ahead = world.clock.now() + 20 * HOUR;
    await event('leak', ahead);
    const { deviceId } = plant;
    const [record] = AnyRecords.parse(
      await world.admin.data(`${DATA}/event_history/list`, { deviceId }),
    ).records;
    expect(record).toMatchObject({ claimedTime: new Date(ahead).toISOString() });
    expect(record?.['occurTime']).toBe(record?.['receiveTime']);
  });

  it('does not keep the event that ends it from ending it', async () => {
    const ruleId = await rule(
      {
        condition: { field: 'level', operator: '>', threshold: 0 },
        recovery: { enabled: true, operator: '<=', threshold: 0 },
      },
      { alarmTargetTypeFlag: 'EVENT', entityId: plant.deviceId },
    );
    await event('leak', world.clock.now() + 60 * SECOND);
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1 }]);
    world.clock.shift(SECOND);
    await event('over', world.clock.now());
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 2 }]);
  });
});

describe('values of one millisecond', () => {
  it('are each looked at by rules, once', async () => {
    const ruleId = await rule(above80);
    const at = world.clock.now() - SECOND;
    await report(value('20', at));
    const second = value('99', at);
    await report(second);
    await report(second);
    expect(await states(ruleId)).toMatchObject([{ entityStateFlag: 1, triggerCount: '1' }]);
  });

  it('are all found by paging with the cursor', async () => {
    const at = world.clock.now() - HOUR;
    await report(...['0', '1', '2', '3', '4'].map((text) => value(text, at)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await history({ count: '2', ...(cursor ? { cursor } : {}) });
      seen.push(...page.map(({ calValue }) => calValue));
      cursor = page.at(-1)?.cursor;
    } while (cursor !== undefined && seen.length < 10);
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
  });

  it('are all found by an agent, which follows `next`', async () => {
    const at = world.clock.now() - HOUR;
    const texts = Array.from({ length: 90 }, (_, index) => String(index));
    await report(...texts.map((text) => value(text, at)));
    const [connect] = Object.values(clients);
    const bearer = await bearerFor(world.admin, { scope: 'svc:read' });
    const client = await connect?.(world.base, bearer);
    const { deviceId, temperature } = plant;
    const seen: string[] = [];
    let uri: string | null = `svc://device/${deviceId}/point/${temperature}/history`;
    for (let pages = 0; uri !== null && pages < 20; pages += 1) {
      const page: z.infer<typeof Older> = Older.parse(await client?.read(uri));
      seen.push(...page.records.map((record) => record.value));
      uri = page.next;
    }
    await client?.close();
    expect(seen).toEqual(texts.toReversed());
  });

  it.each(['1', 'now.1', '-1.1', '1.1.1', `${'9'.repeat(16)}.1`])(
    '400: cursor %s',
    async (cursor) => {
      const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
      const pair = { device_id: plant.deviceId, point_id: plant.temperature };
      expect((await world.admin.get(path, { ...pair, cursor })).status).toBe(400);
    },
  );
});
