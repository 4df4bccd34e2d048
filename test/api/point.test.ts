import { describe, expect, it } from 'vitest';

import { add, onboard } from '../support/devices/plant.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';

describe('a point', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  const addPoint = (body: object = {}) =>
    mine.post(`${MANAGER}/point/add`, {
      pointName: fresh('point'),
      pointTypeFlag: 'DOUBLE',
      profileId: plant.profileId,
      ...body,
    });
  const byId = (id: string) => mine.data(`${MANAGER}/point/get_by_id`, undefined, { id });

  describe('200', () => {
    it('has sensible defaults and answers flags by name', async () => {
      const { body } = await addPoint({ pointTypeFlag: 6 });
      expect(await byId(String(body.data))).toMatchObject({
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_ONLY',
        baseValue: 0,
        multiple: 1,
        valueDecimal: 6,
        minValue: null,
        maxValue: null,
        unit: '',
      });
    });

    it('is found by profile and by device, and its unit by id', async () => {
      const list = { device_id: plant.deviceId };
      const ofDevice = await mine.data(`${MANAGER}/point/list_by_device_id`, undefined, list);
      const ofProfile = await mine.data(`${MANAGER}/point/list_by_profile_id`, undefined, {
        profile_id: plant.profileId,
      });
      expect(ofDevice).toEqual(ofProfile);
      expect(await mine.data(`${MANAGER}/point/unit`, [plant.target])).toEqual({
        [plant.target]: '°C',
      });
      const page = await mine.data(`${MANAGER}/point/list`, { deviceId: plant.deviceId });
      expect(page).toMatchObject({ records: expect.arrayContaining([expect.anything()]) });
    });

    it('keeps its dead-band through add, update and lists, until it is set to null', async () => {
      const { body } = await addPoint({ pointTypeFlag: 'DOUBLE', deadband: 0.5 });
      const id = String(body.data);
      expect(await byId(id)).toMatchObject({ deadband: 0.5 });
      await mine.data(`${MANAGER}/point/update`, { id, unit: 'K' });
      const listed = await mine.data(`${MANAGER}/point/list`, { page: { current: 1, size: 500 } });
      expect(listed).toMatchObject({
        records: expect.arrayContaining([
          expect.objectContaining({ id, deadband: 0.5, unit: 'K' }),
        ]),
      });
      await mine.data(`${MANAGER}/point/update`, { id, deadband: null });
      expect(await byId(id)).toMatchObject({ deadband: null });
      const update = await mine.post(`${MANAGER}/point/update`, { id, deadband: -1 });
      expect(update.status).toBe(400);
    });

    it('gives up its limits when they are set to null', async () => {
      const id = String((await addPoint({ minValue: 1, maxValue: 2 })).body.data);
      await mine.data(`${MANAGER}/point/update`, { id, minValue: null });
      expect(await byId(id)).toMatchObject({ minValue: null, maxValue: 2 });
    });
  });

  it.each([
    ['no type', { pointTypeFlag: undefined }],
    ['an unknown type', { pointTypeFlag: 'COMPLEX' }],
    ['more decimals than a double has', { valueDecimal: 16 }],
    ['a multiple of 0', { multiple: 0 }],
    ['a limit that is no number', { maxValue: '30' }],
  ])('400: %s', async (_name, body) => {
    expect((await addPoint(body)).status).toBe(400);
  });

  it('404: in a profile that does not exist', async () => {
    expect((await addPoint({ profileId: '999999' })).status).toBe(404);
  });

  describe('409', () => {
    it('is the answer for a name taken in the same profile only', async () => {
      const pointName = fresh('twin');
      expect((await addPoint({ pointName })).status).toBe(200);
      expect((await addPoint({ pointName })).status).toBe(409);
      const profileId = await add(mine, 'profile', { profileName: fresh('elsewhere') });
      expect((await addPoint({ pointName, profileId })).status).toBe(200);
    });

    it('is the answer to deleting what a device has a config for, naming the device', async () => {
      const { status, body } = await mine.post(`${MANAGER}/point/delete`, { id: plant.target });
      expect(status).toBe(409);
      expect(body.message).toMatch(/thermostat-/);
    });
  });

  describe('422', () => {
    it('is the answer for limits in the wrong order, also after an update', async () => {
      expect((await addPoint({ minValue: 2, maxValue: 2 })).status).toBe(422);
      const id = String((await addPoint({ minValue: 2, maxValue: 3 })).body.data);
      expect((await mine.post(`${MANAGER}/point/update`, { id, minValue: 4 })).status).toBe(422);
    });

    it('is the answer for limits of a text, and for moving to another profile', async () => {
      expect((await addPoint({ pointTypeFlag: 'STRING', minValue: 1 })).status).toBe(422);
      const profileId = await add(mine, 'profile', { profileName: fresh('move') });
      const move = { id: plant.temperature, profileId };
      expect((await mine.post(`${MANAGER}/point/update`, move)).status).toBe(422);
    });
  });
});
