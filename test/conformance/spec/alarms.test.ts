import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { raise } from '../../../src/alarm/alarm/raise.ts';
import { AlarmTarget, AlarmType } from '../../../src/alarm/kind/alarm.ts';
import { scanOutages } from '../../../src/alarm/watch/outage.ts';
import { acrossTenants, inTenant } from '../../../src/db/tenant.ts';
import { onboard } from '../../support/devices/plant.ts';
import { fresh } from '../../support/world/fresh-name.ts';
import { startedWorld } from '../../support/world/prepared.ts';
import { columnsOf, insertRaw, type RawRow } from '../../support/world/raw-rows.ts';

/** docs/specification/alarms.md, Alarm, rule and notification records: the columns it names. */
const tables = {
  svc_entity_alarm: [
    'alarm_source_flag',
    'alarm_type_flag',
    'alarm_target_type_flag',
    'entity_id',
    'tenant_id',
    'create_time',
    'confirm_flag',
    'alarm_level_flag',
    'rule_id',
    'rule_state_id',
  ],
  svc_rule: ['tenant_id'],
  svc_rule_state: [
    'entity_state_flag',
    'first_trigger_time',
    'last_trigger_time',
    'last_recover_time',
    'last_notify_time',
    'trigger_count',
    'alarm_id',
    'fingerprint',
    'tenant_id',
  ],
  svc_notify: ['tenant_id'],
  svc_notify_channel: ['channel_type_flag', 'tenant_id'],
  svc_notify_history: ['status_flag', 'retry_count', 'alarm_id', 'channel_id', 'notify_id'],
  svc_event_history: [
    'record_id',
    'event_type_flag',
    'event_level_flag',
    'acknowledge_flag',
    'tenant_id',
  ],
};
type Table = keyof typeof tables;

/** docs/specification/alarms.md, Enumerations: the highest number of each; the lowest is 0. */
const ranges: readonly [Table, column: string, highest: number][] = [
  ['svc_entity_alarm', 'alarm_source_flag', 5],
  ['svc_entity_alarm', 'alarm_type_flag', 4],
  ['svc_entity_alarm', 'alarm_level_flag', 3],
  ['svc_entity_alarm', 'confirm_flag', 1],
  ['svc_entity_alarm', 'alarm_target_type_flag', 3],
  ['svc_rule_state', 'entity_state_flag', 3],
  ['svc_notify_channel', 'channel_type_flag', 2],
  ['svc_notify_history', 'status_flag', 4],
  ['svc_notify_history', 'channel_type_flag', 2],
  ['svc_event_history', 'event_type_flag', 3],
  ['svc_event_history', 'event_level_flag', 3],
  ['svc_event_history', 'acknowledge_flag', 1],
];

/** What a row of each table has at least. */
const row = (table: Table): RawRow => {
  const target = { alarm_target_type_flag: 0, entity_id: 1 };
  const rows = {
    svc_entity_alarm: { ...target, alarm_type_flag: 0, alarm_source_flag: 0 },
    svc_rule: { ...target, rule_name: fresh('rule') },
    svc_rule_state: { ...target, fingerprint: fresh('state') },
    svc_notify: { notify_name: fresh('notify') },
    svc_notify_channel: { channel_name: fresh('channel'), channel_type_flag: 0 },
    svc_notify_history: { channel_id: 1, alarm_id: 1, channel_type_flag: 0 },
    svc_event_history: { record_id: randomUUID(), device_id: 1, occur_time: new Date(0) },
  };
  return rows[table];
};

const Records = z.object({ records: z.array(z.looseObject({ sourceId: z.string() })) });

describe('the alarm tables', () => {
  const world = startedWorld();

  const insert = (table: Table, given: RawRow = {}): Promise<unknown> =>
    insertRaw(world, table, { ...row(table), tenant_id: world.admin.tenantId, ...given });

  it.each(Object.entries(tables))('%s has the columns named', async (table, columns) => {
    expect(await columnsOf(world, table)).toEqual(expect.arrayContaining(columns));
  });

  it.each(ranges)('%s.%s holds 0 to %i and nothing else', async (table, column, highest) => {
    for (let value = 0; value <= highest; value += 1) await insert(table, { [column]: value });
    for (const wrong of [-1, highest + 1])
      await expect(insert(table, { [column]: wrong }), `${wrong}`).rejects.toThrow(/check/);
  });

  it('source and type of an alarm are independent of each other', async () => {
    for (let source = 0; source <= 5; source += 1)
      for (let type = 0; type <= 4; type += 1)
        await insert('svc_entity_alarm', { alarm_source_flag: source, alarm_type_flag: type });
  });

  it('a rule has one state for each fingerprint', async () => {
    await insert('svc_rule_state', { fingerprint: 'the same' });
    await expect(insert('svc_rule_state', { fingerprint: 'the same' })).rejects.toThrow(/unique/);
  });

  it('links are logical only: there is no foreign key in the whole database', async () => {
    const { rows } = await acrossTenants(world.app.db, 'doctor', (q) =>
      sql`select conrelid::regclass::text as name from pg_constraint where contype = 'f'`.execute(
        q,
      ),
    );
    expect(rows).toEqual([]);
  });

  it('dashboard/alert/page narrows by source, type and confirmation and answers the fields named', async () => {
    const session = await world.tenant('alerts');
    const { tenantId } = session;
    const now = world.clock.now();
    const place = { entityId: '1', driverId: '1', deviceId: '2', pointId: '3' };
    await inTenant(world.app.db, tenantId, async (q) => {
      for (const target of ['DRIVER', 'DEVICE', 'POINT'] as const)
        for (const type of ['RULE', 'OFFLINE', 'FAULT', 'STATE_FLIP', 'REPORT'] as const) {
          const message = `${target} ${type}`;
          const alarm = { tenantId, target, type, source: 'SYSTEM', level: 0, message } as const;
          await raise(q, { ...alarm, ...place, now });
        }
    });
    const page = (query: object) =>
      session.post('/api/v3/data/dashboard/alert/page', { current: 1, size: 50, ...query });
    for (const source of ['driver', 'device', 'point'] as const)
      for (const [name, alarmTypeFlag] of Object.entries(AlarmType)) {
        const { body } = await page({ source, alarmTypeFlag, confirmFlag: 0 });
        expect(body).toMatchObject({ code: 'R200', data: { current: 1, size: 50, total: 1 } });
        expect(body.data).toMatchObject({
          records: [
            {
              id: expect.stringMatching(/^\d+$/),
              source,
              sourceId: { driver: '1', device: '2', point: '3' }[source],
              deviceId: source === 'driver' ? expect.any(String) : '2',
              pointId: source === 'point' ? '3' : expect.any(String),
              alarmTypeFlag,
              alarmTypeName: name,
              confirmFlag: 0,
              confirmName: 'UNCONFIRMED',
              message: `${source.toUpperCase()} ${name}`,
              createTime: new Date(now).toISOString(),
            },
          ],
        });
      }
    expect((await page({ confirmFlag: 1 })).body.data).toMatchObject({ records: [] });
    expect(Object.keys(AlarmTarget)).toEqual(['POINT', 'DEVICE', 'DRIVER', 'EVENT']);
  });

  it('a driver whose heartbeats stop raises an alarm of its own, once', async () => {
    const session = await world.tenant('heartbeats');
    const { driverId } = await onboard(session);
    const { clock, app } = world;
    const heartbeat = () =>
      world.bus.handled(
        'svc.e.state',
        {
          driverCode: 'VirtualDriver',
          node: 'test',
          at: clock.now(),
          leaseMs: 45_000,
          devices: [],
        },
        'VirtualDriver',
      );
    const alarms = async () => {
      const page = await session.data('/api/v3/data/dashboard/alert/page', { source: 'driver' });
      return Records.parse(page).records.filter(({ sourceId }) => sourceId === driverId);
    };
    await heartbeat();
    await scanOutages(app);
    expect(await alarms()).toEqual([]);
    clock.shift(45_001);
    await scanOutages(app);
    await scanOutages(app);
    expect(await alarms()).toMatchObject([
      {
        alarmTypeFlag: AlarmType.OFFLINE,
        alarmSourceFlag: 1,
        message: expect.stringContaining('no heartbeat since'),
      },
    ]);
  });
});
