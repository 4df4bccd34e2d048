import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const Changes = z.object({ records: z.array(z.looseObject({ entityType: z.string() })) });
const world = startedWorld();

describe('the change log of groups and labels', () => {
  it('says what was put into a group, moved, labelled and taken out, by the names of that time', async () => {
    const mine = await world.tenant('memberships');
    const add = async (path: string, input: object): Promise<string> =>
      z.string().parse(await mine.data(`${MANAGER}/${path}/add`, input));
    const remove = (path: string, id: string) =>
      mine.post(`${MANAGER}/${path}/delete`, undefined, { id });
    const { deviceId, temperature } = await onboard(mine);
    const ofGroup = { groupTypeFlag: 'DEVICE', enableFlag: 'ENABLE' };
    const hall3 = await add('group', { ...ofGroup, groupName: 'Hall 3' });
    const hall4 = await add('group', { ...ofGroup, groupName: 'Hall 4' });
    const label = await add('label', { entityTypeFlag: 'DEVICE', labelName: 'Worn' });
    const bound = { entityTypeFlag: 'DEVICE', entityId: deviceId };
    const inGroup = await add('group_bind', { ...bound, groupId: hall3 });
    const labelled = await add('label_bind', { ...bound, labelId: label });
    await mine.data(`${MANAGER}/group_bind/update`, { id: inGroup, groupId: hall4 });
    await mine.data(`${MANAGER}/group_bind/update`, { id: inGroup, groupId: hall4 });
    await mine.data(`${MANAGER}/group/update`, { id: hall3, groupName: 'Hall 3 (old)' });
    await remove('label_bind', labelled);
    const ofPoint = await add('label', { entityTypeFlag: 'POINT', labelName: 'Legal' });
    const place = { entityTypeFlag: 'POINT', entityId: temperature };
    await add('label_bind', { ...place, labelId: ofPoint });
    await remove('device', deviceId);

    const logged = async (entityType: string) =>
      Changes.parse(
        await mine.data('/api/v3/data/change/list', { limit: 100, kind: 'configured' }),
      ).records.filter((row) => row.entityType === entityType);
    expect(await logged('group_bind')).toMatchObject([
      { operation: 'DELETE', deviceId, from: 'Hall 4', to: null, via: 'login' },
      {
        operation: 'UPDATE',
        deviceId,
        what: expect.stringContaining('membership in a group'),
        from: 'Hall 3',
        to: 'Hall 4',
        changes: { group_name: ['Hall 3', 'Hall 4'], group_id: [Number(hall3), Number(hall4)] },
        entityName: expect.stringMatching(/^thermostat/),
      },
      { operation: 'ADD', deviceId, from: null, to: 'Hall 3', actorName: 'memberships-admin' },
    ]);
    const [legal, gone, got] = await logged('label_bind');
    expect(legal).toMatchObject({ pointId: temperature, to: 'Legal', entityName: 'temperature' });
    expect(gone).toMatchObject({ operation: 'DELETE', deviceId, from: 'Worn', to: null });
    expect(got).toMatchObject({ operation: 'ADD', deviceId, from: null, to: 'Worn' });
    expect(await logged('group')).toMatchObject([
      {
        operation: 'UPDATE',
        from: 'Hall 3',
        to: 'Hall 3 (old)',
        what: 'group “Hall 3 (old)” changed: group name',
      },
      { operation: 'ADD', entityName: 'Hall 4' },
      { operation: 'ADD', entityName: 'Hall 3' },
    ]);
    const ofDevice = Changes.parse(
      await mine.data('/api/v3/data/change/list', { limit: 100, deviceId }),
    ).records;
    expect(ofDevice.map(({ entityType }) => entityType)).toContain('group_bind');
  });
});
