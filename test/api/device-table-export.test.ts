import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { csvRows } from '../../src/kernel/input/csv.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import { Attributes, Id, Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DEVICE = '/api/v3/manager/device';
/** What breaks tables: formulas, quotation marks, separators, ends of lines, signs of any script. */
const PIECES = [
  '=1+1',
  "'",
  "'=",
  '-5',
  '+',
  '@',
  '"',
  ',',
  ';',
  '\t',
  '\r',
  '\n',
  ' ',
  '温度',
  '🌡',
  'é',
  'x',
];

const Named = z.looseObject({ deviceName: z.string() });

describe('an export of devices', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const exported = async ({ driverId, profileId } = plant, session = mine) => {
    const query = new URLSearchParams({ driver_id: driverId, profile_id: profileId }).toString();
    return fetch(`${world.base}${DEVICE}/export?${query}`, { headers: session.headers });
  };
  const preview = ({ driverId, profileId }: Plant, csv: string) =>
    mine.data(`${DEVICE}/import/preview`, { driverId, profileId, csv });

  it('is unchanged by its own import, whatever texts devices have', async () => {
    // A generator with a seed: a run that fails can be repeated.
    let seed = 7;
    const pick = (count: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % count;
    };
    const text = () => Array.from({ length: pick(6) }, () => PIECES[pick(PIECES.length)]).join('');
    const [groupName, labels] = [fresh('hall'), [fresh('a'), fresh('b')]];
    const parent = await add(mine, 'group', { groupName: fresh('top'), groupTypeFlag: 'DEVICE' });
    const groupId = await add(mine, 'group', { groupName, groupTypeFlag: 'DEVICE' });
    // Another group with the same name.
    await add(mine, 'group', { groupName, groupTypeFlag: 'DEVICE', parentGroupId: parent });
    const labelIds = [];
    for (const labelName of labels)
      labelIds.push(await add(mine, 'label', { labelName, entityTypeFlag: 'DEVICE' }));
    const found = await mine.data('/api/v3/manager/driver_attribute/list_by_driver_id', undefined, {
      driver_id: plant.driverId,
    });
    const host = Attributes.parse(found).find(({ attributeCode }) => attributeCode === 'host')?.id;
    for (let one = 0; one < 40; one += 1) {
      const entityId = await add(mine, 'device', {
        deviceName: fresh('device'),
        remark: text(),
        enableFlag: pick(2) === 0 ? 'ENABLE' : 'DISABLE',
        driverId: plant.driverId,
        profileId: plant.profileId,
      });
      const device = { entityTypeFlag: 'DEVICE', entityId };
      if (pick(2) === 0) await add(mine, 'group_bind', { ...device, groupId });
      for (const labelId of labelIds.slice(pick(3)))
        await add(mine, 'label_bind', { ...device, labelId });
      await add(mine, 'driver_attribute_config', {
        deviceId: entityId,
        attributeId: host,
        configValue: text(),
      });
    }
    const response = await exported();
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    const table = await response.text();
    const rows = await Array.fromAsync(csvRows(table, 1_000));
    expect(rows).toHaveLength(42);
    expect(await preview(plant, table)).toMatchObject({
      total: 41,
      add: 0,
      change: 0,
      unchanged: 41,
      refused: 0,
    });
  });

  it('comes page by page, each device once', async () => {
    const wide = await onboard(mine);
    const names = Array.from({ length: 1_200 }, () => fresh('many'));
    const csv = `deviceName\n${names.join('\n')}`;
    const { driverId, profileId } = wide;
    await mine.data(`${DEVICE}/import`, { driverId, profileId, csv });
    const response = await exported(wide);
    expect(response.headers.get('content-length')).toBeNull();
    const rows = await Array.fromAsync(csvRows(await response.text(), 2_000));
    const seen = rows.slice(1).map(([name]) => name);
    expect(seen).toHaveLength(1_201);
    expect(new Set(seen)).toEqual(new Set([...names, await nameOf(wide.deviceId)]));
  });
  const nameOf = async (id: string) =>
    Named.parse(await mine.data(`${DEVICE}/get_by_id`, undefined, { id })).deviceName;

  it('has no secret', async () => {
    const drivers = await mine.data('/api/v3/manager/driver/list', { driverCode: 'Lwm2mDriver' });
    const driverId = Id.parse(Records.parse(drivers).records[0]?.id);
    const attributeId = await add(mine, 'driver_attribute', {
      attributeName: fresh('secret'),
      attributeCode: fresh('secret'),
      attributeTypeFlag: 'STRING',
      driverId,
      attributeExt: { security: { secret: true } },
    });
    const { profileId } = plant;
    const deviceName = fresh('vault');
    const deviceId = await add(mine, 'device', { deviceName, driverId, profileId });
    const secret = fresh('hush');
    await add(mine, 'driver_attribute_config', { deviceId, attributeId, configValue: secret });
    const table = await (await exported({ ...plant, driverId })).text();
    expect(table).toContain(deviceName);
    expect(table).not.toContain(secret);
    expect(await preview({ ...plant, driverId }, table)).toMatchObject({ unchanged: 1 });
  });

  it("403 without the right to list devices; 404 for another tenant's driver", async () => {
    const { session } = await worker(mine, ['svc-center-manager:device:get']);
    expect((await exported(plant, session)).status).toBe(403);
    expect((await exported(plant, await world.tenant('other'))).status).toBe(404);
  });
});
