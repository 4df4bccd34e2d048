import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard } from '../support/devices/plant.ts';
import { Attributes } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const Records = z.object({
  total: z.number(),
  records: z.array(z.looseObject({ id: z.string() })),
});

describe('what profiles and drivers define', () => {
  let owners: Record<'command' | 'event', string>;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    const { profileId } = plant;
    owners = {
      command: await add(mine, 'command', { commandName: 'purge', profileId }),
      event: await add(mine, 'event', { eventName: 'leak', profileId }),
    };
  });

  const get = (path: string, query: Record<string, string>) =>
    mine.data(`${MANAGER}/${path}`, undefined, query);

  describe.each(['command', 'event'] as const)('a parameter of a %s', (kind) => {
    const path = `${MANAGER}/${kind}_param`;
    const param = () => ({
      paramName: fresh('p'),
      paramCode: fresh('p'),
      paramTypeFlag: 'DOUBLE',
      [`${kind}Id`]: owners[kind],
    });

    it('200: is added, found, changed and deleted', async () => {
      const given = param();
      const id = await add(mine, `${kind}_param`, given);
      expect(await get(`${kind}_param/get_by_id`, { id })).toMatchObject({ ...given, version: 1 });
      const of = { [`${kind}_id`]: owners[kind] };
      expect(await get(`${kind}_param/list_by_${kind}_id`, of)).toMatchObject([{ id }]);
      await mine.data(`${path}/update`, { id, paramTypeFlag: 'INT', version: 1 });
      const found = Records.parse(await mine.data(`${path}/list`, { paramCode: given.paramCode }));
      expect(found).toMatchObject({ total: 1, records: [{ id, paramTypeFlag: 'INT' }] });
      await mine.data(`${path}/delete`, { id });
      expect((await mine.get(`${path}/get_by_id`, { id })).status).toBe(404);
    });

    it('404, 409, 422: needs its owner, a code of its own and a default of its type', async () => {
      const given = param();
      const lost = { ...given, [`${kind}Id`]: '999999' };
      expect((await mine.post(`${path}/add`, lost)).status).toBe(404);
      const id = await add(mine, `${kind}_param`, given);
      expect((await mine.post(`${path}/add`, given)).status).toBe(409);
      const old = { id, paramTypeFlag: 'INT', version: 7 };
      expect((await mine.post(`${path}/update`, old)).status).toBe(409);
      if (kind === 'command') {
        const wrong = { ...param(), defaultValue: 'much' };
        expect((await mine.post(`${path}/add`, wrong)).status).toBe(422);
      }
      await mine.data(`${path}/delete`, { id });
    });
  });

  describe.each(['driver', 'point', 'command', 'event'] as const)(
    'an attribute of a %s',
    (kind) => {
      const path = `${MANAGER}/${kind}_attribute`;
      const attribute = () => ({
        attributeName: fresh('a'),
        attributeCode: fresh('a'),
        attributeTypeFlag: 'INT',
        defaultValue: '1',
        driverId: plant.driverId,
      });
      const declared = async () => {
        const all = await get(`${kind}_attribute/list_by_driver_id`, { driver_id: plant.driverId });
        return Attributes.parse(all);
      };

      it('200: is added by a user beside those the driver declares, changed and deleted', async () => {
        const given = attribute();
        const id = await add(mine, `${kind}_attribute`, given);
        expect((await declared()).at(-1)).toMatchObject({ id, ...given });
        await mine.data(`${path}/update`, { id, defaultValue: '2', version: 1 });
        expect(await get(`${kind}_attribute/get_by_id`, { id })).toMatchObject({
          defaultValue: '2',
        });
        await mine.data(`${path}/delete`, { id });
        expect((await mine.get(`${path}/get_by_id`, { id })).status).toBe(404);
      });

      it('422: has a default value of its type', async () => {
        const wrong = { ...attribute(), defaultValue: 'x' };
        expect((await mine.post(`${path}/add`, wrong)).status).toBe(422);
      });

      it('409: that the driver declares is changed and deleted by the driver alone', async () => {
        const [first] = await declared();
        const conflict = {
          status: 409,
          body: { message: expect.stringMatching(/^The driver declares/) },
        };
        const id = first?.id ?? '';
        expect(await mine.post(`${path}/update`, { id, defaultValue: '9' })).toMatchObject(
          conflict,
        );
        expect(await mine.post(`${path}/delete`, { id })).toMatchObject(conflict);
      });
    },
  );

  it('attributes of users outlive the next registration of the driver; those it declares are its own', async () => {
    const driverId = plant.driverId;
    const id = await add(mine, 'point_attribute', {
      attributeName: 'colour',
      attributeCode: 'colour',
      driverId,
    });
    const registration = {
      driverCode: 'VirtualDriver',
      driverName: 'Virtual Driver',
      driverType: 'DRIVER_CLIENT' as const,
      serviceName: 'svc-driver-virtual',
      serviceHost: '',
      node: 'node-2',
      driverAttributes: [],
    };
    const answered = Promise.withResolvers<void>();
    const listening = await world.app.bus.subscribe(
      'svc.e.metadata',
      { queue: 'test-definition', key: 'VirtualDriver' },
      async (message) => {
        if (message.kind === 'registered' && message.node === 'node-2') answered.resolve();
      },
    );
    await world.app.bus.publish(
      'svc.e.driver_register',
      { ...registration, pointAttributes: [] },
      { key: 'VirtualDriver' },
    );
    await answered.promise;
    await listening.cancel();
    const left = Attributes.parse(
      await get('point_attribute/list_by_driver_id', { driver_id: driverId }),
    );
    expect(left.map(({ attributeCode }) => attributeCode)).toEqual(['colour']);
    await mine.data(`${MANAGER}/point_attribute/delete`, { id });
  });
});
