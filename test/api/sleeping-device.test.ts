import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { resultOf } from '../support/devices/command-result.ts';
import { add } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const RECEIPT = '/api/v3/data/point_command_history/get_by_command_id';
const HOUR_MS = 3_600_000;
const Receipt = z.looseObject({
  status: z.string(),
  outcome: z.string(),
  say: z.string(),
  expireTime: z.string(),
  occurTime: z.string(),
  sendTime: z.string().nullable(),
  beforeValue: z.string().nullable(),
  errorCode: z.string(),
});

/** The driver is the test: it says that its device sleeps, and holds commands. */
describe('a command to a device that sleeps', () => {
  let driverCode: string;
  let driverId: string;
  let deviceId: string;
  let pointId: string;
  const commands: Payload<'svc.e.point_command'>[] = [];

  const world = startedWorld();
  beforeAll(async () => {
    driverCode = fresh('Sleepy');
    await world.bus.handled(
      'svc.e.driver_register',
      {
        driverCode,
        driverName: driverCode,
        driverType: 'DRIVER_CLIENT',
        serviceName: 'svc-driver-sleepy',
        serviceHost: '',
        node: 'a',
        driverAttributes: [],
        pointAttributes: [],
      },
      driverCode,
    );
    const drivers = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await world.admin.data('/api/v3/manager/driver/list', { driverCode }));
    driverId = drivers.records[0]?.id ?? '';
    const profileId = await add(world.admin, 'profile', { profileName: fresh('sleepy') });
    const point = { pointName: 'level', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE', profileId };
    pointId = await add(world.admin, 'point', point);
    deviceId = await add(world.admin, 'device', {
      deviceName: fresh('sleepy'),
      driverId,
      profileId,
    });
    await world.app.bus.subscribe(
      'svc.e.point_command',
      { queue: `test.${driverCode}`, key: `${driverCode}.a` },
      async (command) => void commands.push(command),
    );
    await sleeps(HOUR_MS);
  });

  async function sleeps(commandLifeMs?: number): Promise<void> {
    const { tenantId } = world.admin;
    const device = { tenantId, deviceId, status: 'ONLINE', description: 'queue mode' } as const;
    const devices = [{ ...device, ...(commandLifeMs && { commandLifeMs }) }];
    const state = { driverCode, node: 'a', at: 0, leaseMs: 45_000, devices };
    await world.bus.handled('svc.e.state', state, driverCode);
  }
  const receipt = async (commandId: string) =>
    Receipt.parse(await world.admin.data(RECEIPT, undefined, { commandId }));
  async function written(value: string): Promise<string> {
    const commandId = randomUUID();
    const id = await world.admin.data('/api/v3/data/point_command/write', {
      deviceId,
      pointId,
      value,
      commandId,
    });
    return String(id);
  }
  const answers = (commandId: string, given: Partial<Payload<'svc.e.point_command_result'>>) =>
    world.bus.handled(
      'svc.e.point_command_result',
      resultOf({
        commandId,
        tenantId: world.admin.tenantId,
        finishedAt: world.clock.now(),
        ...given,
      }),
      driverCode,
    );
  const lifeMs = ({ occurTime, expireTime }: z.output<typeof Receipt>): number =>
    Date.parse(expireTime) - Date.parse(occurTime);

  it('is valid as long as its driver says, and is handed to the driver with that time', async () => {
    const commandId = await written('1');
    expect(lifeMs(await receipt(commandId))).toBe(HOUR_MS);
    const command = await eventually(
      async () => commands.find((each) => each.commandId === commandId),
      (found) => found !== undefined,
    );
    expect(command?.remainingMs).toBeGreaterThan(HOUR_MS - 60_000);
    await answers(commandId, { status: 'SUCCESS', responseValue: '1', readBack: '1' });
  });

  it('says that it waits, and was sent when the device woke', async () => {
    const commandId = await written('2');
    await answers(commandId, { status: 'WAITING' });
    const waiting = await receipt(commandId);
    expect(waiting).toMatchObject({ status: 'SENT', outcome: 'UNDERWAY' });
    expect(waiting.say).toContain('waits for the device to wake');
    world.clock.shift(20 * 60_000);
    await answers(commandId, {
      status: 'SUCCESS',
      responseValue: '2',
      readBack: '2',
      askedMs: 500,
    });
    const done = await receipt(commandId);
    expect(done).toMatchObject({ outcome: 'EXECUTED', beforeValue: null });
    const sentAfterMs = Date.parse(done.sendTime ?? '') - Date.parse(done.occurTime);
    expect(sentAfterMs).toBeGreaterThan(19 * 60_000);
    // What its driver says late of the wait changes no end.
    await answers(commandId, { status: 'WAITING' });
    expect(await receipt(commandId)).toEqual(done);
  });

  it('was not done where the device slept through its time', async () => {
    const commandId = await written('3');
    await answers(commandId, { status: 'WAITING' });
    await answers(commandId, { status: 'EXPIRED', errorCode: 'ASLEEP' });
    const ended = await receipt(commandId);
    expect(ended).toMatchObject({ status: 'EXPIRED', outcome: 'FAILED', errorCode: 'ASLEEP' });
    expect(ended.say).toContain('the device slept until its time was over (ASLEEP)');
  });

  it('explains why its points have no values, with what to do', async () => {
    await sleeps(HOUR_MS);
    const why = await world.admin.data('/api/v3/data/point_value/why', undefined, {
      deviceId,
      pointId,
    });
    expect(why).toMatchObject({
      cause: 'ASLEEP',
      sentence: expect.stringMatching(/^device sleeps until it reports .*; wait for it/),
    });
  });

  it('lives ten seconds again once the device listens all the time', async () => {
    await sleeps();
    const commandId = await written('4');
    expect(lifeMs(await receipt(commandId))).toBe(10_000);
    await answers(commandId, { status: 'FAILED', errorCode: 'DEVICE_REFUSED' });
  });
});
