import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard, pointAttributes } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const Values = z.object({ records: z.array(z.looseObject({ hasLatestValue: z.boolean() })) });

/**
 * docs/specification/objects.md, Point: pointTypeFlag must match the type of the underlying device resource.
 */
describe('a point whose device has a resource of another type', () => {
  let pointId: string;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    const { profileId, deviceId, driverId } = plant;
    pointId = await add(mine, 'point', {
      pointName: fresh('level'),
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_WRITE',
      profileId,
    });
    const attributes = await pointAttributes(mine, driverId);
    for (const [code, configValue] of [
      ['signal', 'constant'],
      ['value', 'warm'],
    ])
      await add(mine, 'point_attribute_config', {
        deviceId,
        pointId,
        attributeId: attributes.get(code ?? ''),
        configValue,
      });
  });

  it('shows the reading that contradicts it: BAD, without a number, with the reason', async () => {
    await mine.data('/api/v3/data/point_command/read', { deviceId: plant.deviceId, pointId });
    const { records } = await eventually(
      async () =>
        Values.parse(
          await mine.data('/api/v3/data/point_value/latest', {
            deviceId: plant.deviceId,
            pointId,
          }),
        ),
      (page) => page.records[0]?.hasLatestValue === true,
    );
    expect(records).toMatchObject([
      {
        calValue: 'warm',
        numValue: null,
        quality: 'BAD',
        valueIssue: '“warm” is not of the type DOUBLE',
        pointTypeFlag: 'DOUBLE',
      },
    ]);
    const query = { device_id: plant.deviceId, point_id: pointId };
    expect(await mine.data('/api/v3/data/point_value/why', undefined, query)).toMatchObject({
      cause: 'SCALING',
      sentence:
        'the device answered “warm”, not of the type DOUBLE; check the type and path of the point',
    });
  });

  it('shows why its driver has no value, until there is one', async () => {
    const reported = (more: { calValue: string; quality: 0 | 2; issue?: string }, seq: number) =>
      world.bus.handled(
        'svc.e.value',
        {
          tenantId: mine.tenantId,
          driverId: plant.driverId,
          driverCode: 'VirtualDriver',
          node: 'n1',
          values: [
            {
              deviceId: plant.deviceId,
              pointId,
              rawValue: more.calValue,
              numValue: more.quality === 0 ? Number(more.calValue) : null,
              originTime: world.clock.now(),
              seq,
              ...more,
            },
          ],
        },
        'VirtualDriver',
      );
    const shown = async () =>
      Values.parse(
        await mine.data('/api/v3/data/point_value/latest', { deviceId: plant.deviceId, pointId }),
      ).records[0];
    const issue = 'the device answered 4.04';
    await reported({ calValue: '', quality: 2, issue }, 1_000_001);
    expect(await shown()).toMatchObject({ quality: 'BAD', valueIssue: `“${issue}”` });
    await reported({ calValue: '21', quality: 0 }, 1_000_002);
    expect(await shown()).toMatchObject({ quality: 'GOOD', valueIssue: null });
  });

  it('takes no value that is not of its type', async () => {
    const write = { deviceId: plant.deviceId, pointId, value: 'warm' };
    const { status, body } = await mine.post('/api/v3/data/point_command/write', write);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining('“warm” is not of the type DOUBLE'),
    });
  });
});
