import { beforeAll, describe, expect, it } from 'vitest';

import { add, onboard, pointAttributes } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { Attributes, Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const MANAGER = '/api/v3/manager';

describe('a config', () => {
  let attributes: Map<string, string>;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  const foreign = prepared(async () => onboard(await world.tenant('other')));
  beforeAll(async () => {
    attributes = await pointAttributes(mine, plant.driverId);
  });

  const addConfig = (code: string, configValue: string, body: object = {}) =>
    mine.post(`${MANAGER}/point_attribute_config/add`, {
      deviceId: plant.deviceId,
      pointId: plant.temperature,
      attributeId: attributes.get(code),
      configValue,
      ...body,
    });

  /** A new device of the LwM2M driver, with one config. */
  async function lwm2mConfig(code: string, configValue: string) {
    const found = await mine.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
    const driverId = Records.parse(found).records[0]?.id ?? '';
    const profileId = await add(mine, 'profile', { profileName: fresh('meter') });
    const deviceId = await add(mine, 'device', { deviceName: fresh('meter'), driverId, profileId });
    const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
    const rows = Attributes.parse(await mine.data(path, undefined, { driver_id: driverId }));
    const attributeId = rows.find(({ attributeCode }) => attributeCode === code)?.id;
    const given = { deviceId, attributeId, configValue };
    return { added: mine.post(`${MANAGER}/driver_attribute_config/add`, given) };
  }

  it('200: is added, found by what it belongs to, changed and deleted', async () => {
    const id = String((await addConfig('max', '50')).body.data);
    const owner = {
      attribute_id: attributes.get('max') ?? '',
      device_id: plant.deviceId,
      point_id: plant.temperature,
    };
    const path = `${MANAGER}/point_attribute_config`;
    const find = `${path}/get_by_attribute_id_and_device_id_and_point_id`;
    expect(await mine.data(find, undefined, owner)).toMatchObject({ id, configValue: '50' });
    await mine.data(`${path}/update`, { id, configValue: '60' });
    expect(await mine.data(find, undefined, owner)).toMatchObject({ configValue: '60' });
    const ofPoint = await mine.data(`${path}/list_by_device_id_and_point_id`, undefined, {
      device_id: plant.deviceId,
      point_id: plant.temperature,
    });
    expect(ofPoint).toMatchObject([{ id, attributeCode: 'max' }]);
    await mine.data(`${path}/delete`, { id });
    expect((await mine.get(find, owner)).status).toBe(404);
  });

  it('200: never shows the value of a secret attribute', async () => {
    const driver = { driverCode: 'SecretDriver', driverName: 'SecretDriver', serviceName: 'svc-s' };
    const secret = { code: 'pin', name: 'pin', type: 'STRING' as const, defaultValue: '' };
    await world.app.bus.publish(
      'svc.e.driver_register',
      {
        ...driver,
        driverType: 'DRIVER_CLIENT',
        serviceHost: '',
        node: 'node-1',
        driverAttributes: [{ ...secret, description: '', secret: true }],
        pointAttributes: [],
      },
      { key: driver.driverCode },
    );
    const driverOf = (session: Session): Promise<string> =>
      until(async () => {
        const listed = await session.data(`${MANAGER}/driver/list`, { driverCode: 'SecretDriver' });
        const [found] = JSON.parse(JSON.stringify(listed)).records;
        expect(found).toBeDefined();
        return String(found.id);
      });
    // The bus has the registration, the manager center may still be taking it. A tenant that is made meanwhile gets
    // the driver with its next heartbeat, and this one sends none.
    await driverOf(world.admin);
    const late = await world.tenant('with-secrets');
    const driverId = await driverOf(late);
    const [attribute] = JSON.parse(
      JSON.stringify(
        await late.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
          driver_id: driverId,
        }),
      ),
    );
    const profileId = await late.data(`${MANAGER}/profile/add`, { profileName: 'safe' });
    const deviceId = await late.data(`${MANAGER}/device/add`, {
      deviceName: 'safe',
      driverId,
      profileId,
    });
    await late.data(`${MANAGER}/driver_attribute_config/add`, {
      deviceId,
      attributeId: attribute.id,
      configValue: 'hunter2',
    });
    const shown = await late.data(`${MANAGER}/driver_attribute_config/list`, {});
    expect(shown).toMatchObject({ records: [{ attributeCode: 'pin', configValue: '******' }] });
  });

  it('400: with a value the database cannot keep', async () => {
    expect((await addConfig('tag', 'a\0b')).status).toBe(400);
  });

  it('404: for a device of another tenant', async () => {
    expect((await addConfig('tag', 'x', { deviceId: foreign.deviceId })).status).toBe(404);
  });

  it('409: for an attribute that has a value already', async () => {
    expect((await addConfig('tag', 'x')).status).toBe(200);
    expect((await addConfig('tag', 'y')).body.message).toBe('The config already exists');
  });

  it('422: with a value that is not of the type of its attribute', async () => {
    const { status, body } = await addConfig('min', 'low');
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: 'The value of min must be a DOUBLE',
    });
  });

  it.each(['serverHost', 'serverPort', 'securePort'])(
    '422: with a %s at which the driver does not listen',
    async (code) => {
      const named = await lwm2mConfig(code, code === 'serverHost' ? '192.0.2.1' : '1');
      const { status, body } = await named.added;
      expect({ status, message: body.message }).toEqual({
        status: 422,
        message: expect.stringMatching(
          new RegExp(`^The value of ${code} must be “.*: the running driver takes no other$`),
        ),
      });
    },
  );

  it('200: with the port at which the driver listens, which then cannot become another', async () => {
    const { added } = await lwm2mConfig('serverPort', String(world.lwm2mPort));
    const { status, body } = await added;
    expect(status).toBe(200);
    const update = `${MANAGER}/driver_attribute_config/update`;
    const changed = await mine.post(update, { id: String(body.data), configValue: '5683' });
    expect(changed.status).toBe(422);
  });

  it("422: for a point that is not of the device's profile", async () => {
    const other = await onboard(mine);
    expect((await addConfig('min', '1', { pointId: other.temperature })).status).toBe(422);
  });
});
