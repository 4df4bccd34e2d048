import { expect, it } from 'vitest';

import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const world = startedWorld();

it('a mark of dropped values is in the history of the point, and they are counted by driver', async () => {
  const { admin } = world;
  const { deviceId, pointId, driverId, driverCode } = await onboard(admin, fresh('site'));
  const originTime = world.clock.now() - 60_000;
  const issue = '40 values until then were dropped';
  const mark = {
    deviceId,
    pointId,
    rawValue: '',
    calValue: '',
    numValue: null,
    quality: 2 as const,
  };
  const batch = {
    tenantId: admin.tenantId,
    driverId,
    driverCode,
    node: 'n1',
    values: [{ ...mark, originTime, seq: 7, dropped: 40, issue }],
  };
  await world.bus.handled('svc.e.value', batch, driverCode);
  const path = '/api/v3/data/point_value/list_history_by_device_id_and_point_id';
  const query = { device_id: deviceId, point_id: pointId, count: '10' };
  expect(await admin.data(path, undefined, query)).toMatchObject([
    { quality: 'BAD', createTime: new Date(originTime).toISOString() },
  ]);
  const latest = await admin.data('/api/v3/data/point_value/latest', { deviceId, pointId });
  expect(AnyRecords.parse(latest).records).toMatchObject([
    { valueIssue: expect.stringContaining(issue) },
  ]);
  const health = await admin.data('/api/v3/data/dashboard/system/health');
  expect(health).toMatchObject({
    refusedValues: [{ driverCode, reason: 'DROPPED', refused: 40, deviceId, pointId }],
  });
});
