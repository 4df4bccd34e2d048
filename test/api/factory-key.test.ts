import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const Codes = z.array(z.looseObject({ attributeCode: z.string() }));
const key = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the key that a device left its factory with', () => {
  const world = startedWorld();
  const admin = prepared(() => world.admin);

  const made = async () => {
    const endpoint = fresh('urn:thing');
    const { deviceId } = await lwm2mDevice(admin, { endpoint, factoryKey: key });
    return { deviceId, endpoint };
  };
  const codes = async (deviceId: string): Promise<string[]> => {
    const path = '/api/v3/manager/driver_attribute_config/list_by_device_id';
    const rows = Codes.parse(await admin.data(path, undefined, { device_id: deviceId }));
    return rows.map(({ attributeCode }) => attributeCode).toSorted();
  };
  /** The driver says that a registration made a secret needless. */
  const says = async (
    { deviceId, endpoint }: { deviceId: string; endpoint: string },
    spent: { attribute: string; digest: string },
    { tenantId = admin.tenantId, driverCode = 'Lwm2mDriver' } = {},
  ) =>
    world.bus.handled(
      'svc.e.registered',
      {
        driverCode,
        node: 'test',
        devices: [
          {
            tenantId,
            deviceId,
            endpoint,
            version: '1.1',
            at: world.clock.now(),
            objects: ['3/0'],
            leftOut: 0,
            spent,
          },
        ],
      },
      driverCode,
    );

  it('is deleted once the device registered with its own', async () => {
    const device = await made();
    expect(await codes(device.deviceId)).toEqual(['endpoint', 'factoryKey']);
    await says(device, { attribute: 'factoryKey', digest: digestOf(key) });
    expect(await codes(device.deviceId)).toEqual(['endpoint']);
  });

  it('stays where another was set meanwhile, and for other tenants and drivers', async () => {
    const device = await made();
    const spent = { attribute: 'factoryKey', digest: digestOf(key) };
    await says(device, { ...spent, digest: digestOf('another') });
    const { tenantId } = await world.tenant(fresh('t'));
    await says(device, spent, { tenantId });
    await says(device, spent, { driverCode: 'VirtualDriver' });
    expect(await codes(device.deviceId)).toEqual(['endpoint', 'factoryKey']);
  });

  it('is all that a driver can delete: nothing but secrets', async () => {
    const device = await made();
    await says(device, { attribute: 'endpoint', digest: digestOf(device.endpoint) });
    expect(await codes(device.deviceId)).toEqual(['endpoint', 'factoryKey']);
  });
});
