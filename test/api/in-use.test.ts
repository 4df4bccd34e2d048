import { beforeAll, describe, expect, it } from 'vitest';

import { uses } from '../../src/manager/entity/in-use.ts';
import { type Owned, populate } from '../support/cases/populate.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

/** Which of the things that `populate` makes hold on to which, by table. */
const owned: Record<string, keyof Owned> = {
  svc_driver: 'driver',
  svc_profile: 'profile',
  svc_point: 'point',
  svc_device: 'device',
  svc_command: 'command',
  svc_event: 'event',
  svc_command_param: 'commandParam',
  svc_event_param: 'eventParam',
  svc_command_attribute: 'commandAttribute',
  svc_event_attribute: 'eventAttribute',
  svc_driver_attribute: 'driverAttribute',
  svc_point_attribute: 'pointAttribute',
  svc_driver_attribute_config: 'driverAttributeConfig',
  svc_point_attribute_config: 'pointAttributeConfig',
  svc_command_attribute_config: 'commandAttributeConfig',
  svc_event_attribute_config: 'eventAttributeConfig',
  svc_group: 'group',
  svc_group_bind: 'groupBind',
  svc_label: 'label',
  svc_label_bind: 'labelBind',
  svc_manual: 'manual',
};

/** Declared by the driver, so no user ever deletes them, in use or not. */
const declared = ['svc_driver_attribute', 'svc_point_attribute'];
const pairs = Object.entries(uses).flatMap(([table, links]) =>
  links.map(({ table: holder, what }) => ({ table, holder, what })),
);
const noun = (table: string): string => table.replace(/^svc_/, '');

describe('what something still needs', () => {
  const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
  const mine = prepared(() => world.tenant('mine'));
  const own = prepared(() => populate(world, mine));
  beforeAll(async () => {
    const driverId = own.driver;
    const manager = '/api/v3/manager';
    for (const kind of ['driver', 'point'] as const) {
      const id = String(
        await mine.data(`${manager}/${kind}_attribute/add`, {
          attributeName: 'mine',
          attributeCode: 'mine',
          driverId,
        }),
      );
      own[`${kind}Attribute`] = id;
      own[`${kind}AttributeConfig`] = String(
        await mine.data(`${manager}/${kind}_attribute_config/add`, {
          attributeId: id,
          deviceId: own.device,
          configValue: '1',
          ...(kind === 'point' ? { pointId: own.point } : {}),
        }),
      );
    }
    await mine.data(`${manager}/group/add`, {
      groupName: 'below',
      groupTypeFlag: 'DEVICE',
      parentGroupId: own.group,
    });
  });

  const kindOf = (table: string): keyof Owned => {
    const kind = owned[table];
    if (!kind) throw new Error(`which id does ${table} have? List it here`);
    return kind;
  };
  const remove = (table: string) =>
    mine.post(`/api/v3/manager/${noun(table)}/delete`, { id: own[kindOf(table)] });

  it.each(pairs)('409: $table is not deleted while $holder needs it', async ({ table, holder }) => {
    expect(owned).toHaveProperty(holder);
    const { status, body } = await remove(table);
    expect(status).toBe(409);
    expect(body.message).toMatch(/^The \w+ is in use: it still has /);
    const kept = await mine.get(`/api/v3/manager/${noun(table)}/get_by_id`, {
      id: own[kindOf(table)],
    });
    expect(kept.status).toBe(200);
  });

  it('names each of them in turn, and lets go when the last is gone', async () => {
    const reasons: string[] = [];
    const asked = async (table: string) => {
      const { status, body } = await remove(table);
      reasons.push(status === 200 ? `${table} gone` : `${table}: ${body.message}`);
    };
    await asked('svc_command');
    await remove('svc_command_param');
    await asked('svc_command');
    await remove('svc_command_attribute_config');
    await asked('svc_command');
    expect(reasons).toEqual([
      'svc_command: The command is in use: it still has parameter "volume"',
      'svc_command: The command is in use: it still has a config of device "boiler-1"',
      'svc_command gone',
    ]);
  });

  it('takes what hangs on a device alone with the device', async () => {
    expect((await remove('svc_device')).status).toBe(200);
    for (const table of ['svc_driver_attribute_config', 'svc_point_attribute_config'] as const) {
      const { status } = await mine.get(`/api/v3/manager/${noun(table)}/get_by_id`, {
        id: own[kindOf(table)],
      });
      expect(status, table).toBe(404);
    }
    for (const table of ['svc_group_bind', 'svc_label_bind'] as const) {
      const { status } = await mine.get(`/api/v3/manager/${noun(table)}/get_by_id`, {
        id: own[kindOf(table)],
      });
      expect(status, table).toBe(404);
    }
    for (const table of declared) expect((await remove(table)).status, table).toBe(200);
  });
});
