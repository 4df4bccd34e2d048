import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../../support/devices/plant.ts';
import { Records } from '../../support/people/shapes.ts';
import { prepared, startedWorld } from '../../support/world/prepared.ts';

const List = z.array(z.looseObject({ attributeCode: z.string() }));

/**
 * docs/specification/objects.md and docs/specification/lwm2m.md, LwM2M driver attributes, as a stranger sees
 * them over REST.
 */
describe('the platform objects', () => {
  const world = startedWorld();
  const session = prepared(() => world.tenant('spec'));
  const plant = prepared(() => onboard(session));

  const records = async (path: string, body: object = {}) =>
    Records.parse(await session.data(`/api/v3/manager/${path}/list`, body)).records;

  it('drivers are services named svc-driver-*', async () => {
    const drivers = await records('driver');
    expect(drivers.length).toBeGreaterThan(0);
    for (const driver of drivers) expect(driver['serviceName']).toMatch(/^svc-driver-[a-z0-9]+$/);
  });

  it.each(['driver', 'profile', 'device', 'point'])(
    'every %s carries its tenantId',
    async (noun) => {
      const found = await records(noun);
      expect(found.length).toBeGreaterThan(0);
      for (const record of found) expect(record['tenantId']).toBe(session.tenantId);
    },
  );

  it.each(['driverId', 'profileId'])('a device without a %s is refused', async (missing) => {
    const { driverId, profileId } = plant;
    const body = { deviceName: 'half a device', driverId, profileId, [missing]: undefined };
    const { status, body: answer } = await session.post('/api/v3/manager/device/add', body);
    expect([status, answer.ok, answer.code]).toEqual([400, false, 'R400']);
  });

  it('the device has one driver and one profile, and they are those it was given', async () => {
    const device = await session.data('/api/v3/manager/device/get_by_id', undefined, {
      id: plant.deviceId,
    });
    expect(device).toMatchObject({ driverId: plant.driverId, profileId: plant.profileId });
  });

  it('the LwM2M driver declares itself as specified', async () => {
    const [driver] = await records('driver', { driverCode: 'Lwm2mDriver' });
    expect(driver).toMatchObject({
      driverCode: 'Lwm2mDriver',
      driverName: 'LwM2M Driver',
      driverTypeFlag: 'DRIVER_CLIENT',
    });
  });

  const declared = async (noun: string) => {
    const [driver] = await records('driver', { driverCode: 'Lwm2mDriver' });
    const rows = List.parse(
      await session.data(`/api/v3/manager/${noun}/list_by_driver_id`, undefined, {
        driver_id: driver?.id ?? '',
      }),
    );
    return rows
      .map((row) => [row.attributeCode, row['attributeTypeFlag'], row['defaultValue']])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  };

  it('the LwM2M driver declares the driver attributes of the table', async () => {
    expect(await declared('driver_attribute')).toEqual([
      ['awakeTime', 'INT', '93'],
      ['commandLife', 'INT', '0'],
      ['endpoint', 'STRING', ''],
      // Beside the table, as serverUri: for a bootstrap.
      ['factoryIdentity', 'STRING', ''],
      ['factoryKey', 'STRING', ''],
      ['observeComposite', 'STRING', 'false'],
      ['pskIdentity', 'STRING', ''],
      ['pskKey', 'STRING', ''],
      // Beside the table: the key that takes the place of another.
      ['pskNextKey', 'STRING', ''],
      ['securePort', 'INT', '5684'],
      ['securityMode', 'STRING', 'NOSEC'],
      ['serverHost', 'STRING', '0.0.0.0'],
      ['serverLifetime', 'INT', '3600'],
      ['serverPort', 'INT', '5683'],
      ['serverUri', 'STRING', ''],
      ['trustedNetworks', 'STRING', ''],
    ]);
  });

  it('the LwM2M driver declares the point attributes of the table', async () => {
    expect(await declared('point_attribute')).toEqual([
      ['gt', 'STRING', ''],
      ['lt', 'STRING', ''],
      ['objectId', 'INT', '0'],
      ['objectInstanceId', 'INT', '0'],
      ['observe', 'STRING', 'false'],
      // Beside the table: what no object definition known to the driver says of a resource.
      ['operation', 'STRING', 'auto'],
      ['pmax', 'INT', '30'],
      ['pmin', 'INT', '0'],
      ['resourceId', 'INT', '0'],
      ['resourceInstanceId', 'STRING', ''],
      ['resourceType', 'STRING', 'auto'],
      ['st', 'STRING', ''],
    ]);
  });

  it('the LwM2M driver declares no command attributes', async () => {
    expect(await declared('command_attribute')).toEqual([]);
  });
});
