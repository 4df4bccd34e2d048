import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { nodeKey, type Payload } from '../../src/bus/topic/topics.ts';
import { add } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Receipt = z.object({ status: z.string(), errorCode: z.string(), errorMessage: z.string() });

/** A driver node that went a moment ago: its queue is still there, and nothing reads it. */
describe('a command for a driver node that is away', () => {
  let driverCode: string;
  let deviceId: string;
  let pointId: string;
  const seen: string[] = [];

  const world = startedWorld();
  beforeAll(async () => {
    const { admin, bus } = world;
    driverCode = fresh('Lone');
    const registration: Payload<'svc.e.driver_register'> = {
      driverCode,
      driverName: driverCode,
      driverType: 'DRIVER_CLIENT',
      serviceName: 'svc-driver-lone',
      serviceHost: '',
      node: 'a',
      driverAttributes: [],
      pointAttributes: [],
    };
    await bus.handled('svc.e.driver_register', registration, driverCode);
    const drivers = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await admin.data('/api/v3/manager/driver/list', { driverCode }));
    const driverId = drivers.records[0]?.id ?? '';
    const profileId = await add(admin, 'profile', { profileName: fresh('lone') });
    const point = { pointName: 'level', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE', profileId };
    pointId = await add(admin, 'point', point);
    deviceId = await add(admin, 'device', { deviceName: fresh('lone'), driverId, profileId });
    const { tenantId } = admin;
    const device = { tenantId, deviceId, description: '', status: 'ONLINE', heldMs: 0 } as const;
    const state = { driverCode, node: 'a', at: 0, leaseMs: 45_000, devices: [device] };
    await bus.handled('svc.e.state', state, driverCode);
  });

  const node = () => {
    const key = nodeKey(driverCode, 'a');
    const queue = `svc.q.point_command.${key}`;
    return world.app.bus.subscribe('svc.e.point_command', { queue, key }, async ({ commandId }) => {
      seen.push(commandId);
    });
  };
  const write = async (value: number): Promise<string> =>
    String(
      await world.admin.data('/api/v3/data/point_command/write', { deviceId, pointId, value }),
    );
  const receipt = async (commandId: string) =>
    Receipt.parse(
      await world.admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId,
      }),
    );

  it('that takes nothing in its time, though it was heard of, ends without a reason that is not known', async () => {
    const { cancel } = await node();
    await cancel();
    const id = await write(1);
    expect(await receipt(id)).toMatchObject({ status: 'SENT' });
    const ended = await eventually(
      () => receipt(id),
      ({ status }) => status !== 'SENT',
    );
    expect(ended).toMatchObject({ status: 'FAILED', errorCode: 'NOT_TAKEN' });
    expect(ended.errorMessage).toContain('nothing was sent to the device');
    const back = await node();
    const next = await write(2);
    await eventually(
      async () => seen,
      (all) => all.includes(next),
    );
    expect(seen).toEqual([next]);
    await back.cancel();
  });

  it('that comes back in its time is handed to it, in the order of the commands', async () => {
    const { cancel } = await node();
    await cancel();
    seen.length = 0;
    const ids = [await write(3), await write(4)];
    const back = await node();
    // Given while the first ones are still held back, or have just gone out.
    ids.push(await write(5), await write(6));
    await eventually(
      async () => seen,
      (all) => all.length === ids.length,
    );
    expect(seen).toEqual(ids);
    await back.cancel();
  });

  it('that took it and went is not known to be done or not', async () => {
    const key = nodeKey(driverCode, 'a');
    const queue = `svc.q.point_command.${key}`;
    const taken: string[] = [];
    const { cancel } = await world.app.bus.subscribe(
      'svc.e.point_command',
      { queue, key },
      async ({ commandId }, { ack }) => {
        taken.push(commandId);
        ack();
      },
    );
    const id = await write(7);
    await eventually(
      async () => taken,
      (all) => all.includes(id),
    );
    await cancel();
    const ended = await eventually(
      () => receipt(id),
      ({ status }) => status !== 'SENT',
    );
    expect(ended).toMatchObject({ status: 'UNKNOWN', errorCode: 'NO_ANSWER' });
  });
});
