import { describe, expect, it } from 'vitest';

import { add, onboard } from '../support/devices/plant.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';

describe('groups and labels', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const group = (body: object = {}) =>
    add(mine, 'group', { groupName: fresh('g'), groupTypeFlag: 'DEVICE', ...body });
  const status = async (path: string, body: object) =>
    (await mine.post(`${MANAGER}/${path}`, body)).status;

  it('200: make a tree whose levels are counted, and lists are narrowed to their members', async () => {
    const root = await group();
    const below = await group({ parentGroupId: root, groupIndex: 2 });
    const found = await mine.data(`${MANAGER}/group/get_by_id`, undefined, { id: below });
    expect(found).toMatchObject({ parentGroupId: root, groupLevel: 1, groupTypeFlag: 'DEVICE' });
    const children = await mine.data(`${MANAGER}/group/list`, { parentGroupId: root });
    expect(children).toMatchObject({ total: 1, records: [{ id: below }] });
    const member = { entityTypeFlag: 'DEVICE', entityId: plant.deviceId };
    const bind = await add(mine, 'group_bind', { ...member, groupId: below });
    const label = await add(mine, 'label', { labelName: fresh('l'), entityTypeFlag: 'DEVICE' });
    await add(mine, 'label_bind', { ...member, labelId: label });
    for (const filter of [{ groupId: below }, { labelId: label }])
      expect(await mine.data(`${MANAGER}/device/list`, filter)).toMatchObject({
        total: 1,
        records: [{ id: plant.deviceId }],
      });
    expect(await mine.data(`${MANAGER}/device/list`, { groupId: root })).toMatchObject({
      total: 0,
    });
    await mine.data(`${MANAGER}/group_bind/update`, { id: bind, groupId: root });
    expect(await mine.data(`${MANAGER}/device/list`, { groupId: root })).toMatchObject({
      total: 1,
    });
    const binds = (entityIds: string[]) =>
      mine.data(`${MANAGER}/group_bind/list`, { entityTypeFlag: 'DEVICE', entityIds });
    expect(await binds(['987654321', plant.deviceId])).toMatchObject({
      total: 1,
      records: [{ id: bind }],
    });
    expect(await binds(['987654321'])).toMatchObject({ total: 0 });
    const named = await mine.data(`${MANAGER}/group/list`, { ids: [below, '987654321'] });
    expect(named).toMatchObject({ total: 1, records: [{ id: below }] });
    for (const wrong of [[], ['x'], Array(101).fill('1')]) {
      expect(await status('group_bind/list', { entityIds: wrong })).toBe(400);
      expect(await status('group/list', { ids: wrong })).toBe(400);
    }
    await mine.data(`${MANAGER}/group_bind/delete`, { id: bind });
  });

  it('409: have names of their own, and an entity is in one group of its kind', async () => {
    const groupName = fresh('g');
    const id = await group({ groupName });
    expect(await status('group/add', { groupName, groupTypeFlag: 'DEVICE' })).toBe(409);
    const member = { entityTypeFlag: 'DEVICE', entityId: plant.deviceId };
    await add(mine, 'group_bind', { ...member, groupId: id });
    expect(await status('group_bind/add', { ...member, groupId: await group() })).toBe(409);
  });

  it('422: hold entities of one kind, and no group is below itself', async () => {
    const points = await group({ groupTypeFlag: 'POINT' });
    const member = { entityTypeFlag: 'DEVICE', entityId: plant.deviceId, groupId: points };
    expect(await status('group_bind/add', member)).toBe(422);
    expect(await status('group_bind/add', { ...member, entityTypeFlag: 'USER' })).toBe(422);
    const other = { groupName: fresh('g'), groupTypeFlag: 'DEVICE', parentGroupId: points };
    expect(await status('group/add', other)).toBe(422);
    expect(await status('group/update', { id: points, parentGroupId: points })).toBe(422);
    expect(
      await status('label/add', { labelName: 'x1', entityTypeFlag: 6, labelColor: 'red' }),
    ).toBe(400);
  });

  it('404: for what is not there', async () => {
    const member = { entityTypeFlag: 'DEVICE', entityId: '999999' };
    expect(await status('group_bind/add', { ...member, groupId: await group() })).toBe(404);
    expect(
      await status('group/add', { groupName: 'x1', groupTypeFlag: 6, parentGroupId: '99' }),
    ).toBe(404);
  });
});
