import { afterAll, describe, expect, it } from 'vitest';

import { clearDevice } from '../support/devices/clear-device.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

/** docs/specification/lwm2m.md, Takeover: a device that answers from another address on the clear port. */
describe('a device that was taken over', () => {
  const world = startedWorld();
  const device = prepared(() => clearDevice(world));
  afterAll(async () => {
    device?.close();
  });

  it('is never VERIFIED before a person confirmed the alarm about it', async () => {
    const { write, alarms } = device;
    const silence = await device.at('127.0.0.1');
    expect(await write(21)).toMatchObject({ status: 'SUCCESS', verification: 'VERIFIED' });
    expect(await alarms()).toEqual([]);
    silence();
    await device.at('127.0.0.2');
    const unsure = { verification: 'UNVERIFIED', errorCode: 'PEER_CHANGED' };
    expect(await write(22)).toMatchObject(unsure);
    const [alarm, ...more] = await eventually(alarms, (all) => all.length > 0);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      alarmSourceFlag: 4,
      alarmLevelFlag: 1,
      message: expect.stringContaining('127.0.0.2 and no longer from 127.0.0.1'),
    });
    expect(await device.latest()).toMatchObject({
      records: [{ calValue: '22', quality: 'UNCERTAIN', valueIssue: alarm?.message }],
    });
    const decision = { source: 'device', id: alarm?.id };
    const alert = '/api/v3/data/dashboard/alert';
    await world.admin.data(`${alert}/confirm`, decision);
    await eventually(
      () => write(23),
      ({ verification }) => verification === 'VERIFIED',
    );
    await world.admin.data(`${alert}/unconfirm`, decision);
    await eventually(
      () => write(24),
      ({ errorCode }) => errorCode === 'PEER_CHANGED',
    );
    expect(await alarms()).toHaveLength(1);
  });
});
