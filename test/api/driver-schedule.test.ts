import { describe, expect, it } from 'vitest';

import { onboard } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';

describe('the schedule of drivers', () => {
  const world = startedWorld({ environment: { SVC_DRIVER_READ_CRON: '0/2 * * * * ?' } });

  it('reads every point at the times that are set, and declares how often that is', async () => {
    const { deviceId, temperature, target } = await onboard(world.admin);
    const latest = async () => {
      const page = await world.admin.data('/api/v3/data/point_value/latest', { deviceId });
      return AnyRecords.parse(page).records;
    };
    const first = await eventually(latest, (rows) =>
      rows.every((row) => row['hasLatestValue'] && row['expectedIntervalS'] === 2),
    );
    expect(new Set(first.map((row) => row['pointId']))).toEqual(new Set([temperature, target]));
    await eventually(latest, (rows) =>
      rows.every((row, index) => row['createTime'] !== first[index]?.['createTime']),
    );
  });
});
