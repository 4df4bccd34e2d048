import { describe, expect, it } from 'vitest';

import { add, onboard } from '../support/devices/plant.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';

describe('a profile', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));

  describe('200', () => {
    it('is the one profile of its device', async () => {
      const list = await mine.data(`${MANAGER}/profile/list_by_device_id`, undefined, {
        device_id: plant.deviceId,
      });
      expect(list).toMatchObject([{ id: plant.profileId, profileTypeFlag: 'USER' }]);
    });

    it('is deleted once nothing is left in it', async () => {
      const id = await add(mine, 'profile', { profileName: fresh('empty') });
      const commandId = await add(mine, 'command', { commandName: 'purge', profileId: id });
      const eventId = await add(mine, 'event', { eventName: 'leak', profileId: id });
      expect((await mine.post(`${MANAGER}/profile/delete`, { id })).status).toBe(409);
      await mine.data(`${MANAGER}/command/delete`, { id: commandId });
      await mine.data(`${MANAGER}/event/delete`, { id: eventId });
      expect((await mine.post(`${MANAGER}/profile/delete`, { id })).status).toBe(200);
    });

    it('shows its commands and events, also by device', async () => {
      await add(mine, 'command', { commandName: 'flush', timeout: 5, profileId: plant.profileId });
      await add(mine, 'event', {
        eventName: 'spill',
        eventTypeFlag: 'ALERT',
        eventLevelFlag: 3,
        profileId: plant.profileId,
      });
      const query = { device_id: plant.deviceId };
      const commands = await mine.data(`${MANAGER}/command/list_by_device_id`, undefined, query);
      expect(commands).toMatchObject([{ commandName: 'flush', callTypeFlag: 'ASYNC', timeout: 5 }]);
      const events = await mine.data(`${MANAGER}/event/list_by_device_id`, undefined, query);
      expect(events).toMatchObject([{ eventName: 'spill', eventTypeFlag: 1, eventLevelFlag: 3 }]);
    });
  });

  it('400: without a name', async () => {
    expect((await mine.post(`${MANAGER}/profile/add`, {})).status).toBe(400);
  });

  describe('409', () => {
    it('is the answer to deleting it while a device uses it', async () => {
      const { status, body } = await mine.post(`${MANAGER}/profile/delete`, {
        id: plant.profileId,
      });
      expect({ status, message: body.message }).toEqual({
        status: 409,
        message: expect.stringMatching(/^The profile is in use: it still has device "/),
      });
    });

    it('is the answer to one of two racing adds of the same name', async () => {
      const profileName = fresh('race');
      const answers = await Promise.all(
        [1, 2, 3].map(() => mine.post(`${MANAGER}/profile/add`, { profileName })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200, 409, 409,
      ]);
    });
  });

  it('is never deleted under a device or point that is being added', async () => {
    for (let round = 0; round < 10; round += 1) {
      const profileId = await add(mine, 'profile', { profileName: fresh('contested') });
      const [removed, device, point] = await Promise.all([
        mine.post(`${MANAGER}/profile/delete`, { id: profileId }),
        mine.post(`${MANAGER}/device/add`, {
          deviceName: fresh('racer'),
          driverId: plant.driverId,
          profileId,
        }),
        mine.post(`${MANAGER}/point/add`, {
          pointName: 'racer',
          pointTypeFlag: 'INT',
          profileId,
        }),
      ]);
      expect([device.status, point.status]).toEqual(
        removed.status === 200 ? [404, 404] : [200, 200],
      );
    }
  });
});
