import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { waitForReceipt } from '../../src/data/command/receipt.ts';
import { dispatch } from '../../src/data/write/dispatch.ts';
import { insertWrite } from '../../src/data/write/dispatch.ts';
import { checkWrite } from '../../src/data/write/write-check.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { resultOf } from '../support/devices/command-result.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const HISTORY = '/api/v3/data/point_command_history';
type Result = Payload<'svc.e.point_command_result'>;
type Command = Payload<'svc.e.point_command'>;

const Receipt = z.looseObject({ status: z.string() });
const Page = z.object({
  records: z.array(Receipt),
  total: z.number(),
  size: z.number(),
  current: z.number(),
});

/** The driver of these commands is the test itself: it decides what and when to answer. */
describe('a receipt', () => {
  let plant: Plant;
  let driverCode: string;
  const commands: Command[] = [];

  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const theirs = prepared(() => world.tenant('other'));
  beforeAll(async () => {
    plant = await onboard(mine);
    driverCode = fresh('SlowDriver');
    const driverId = await add(mine, 'driver', {
      driverName: driverCode,
      driverCode,
      serviceName: 'svc-driver-slow',
    });
    const deviceId = await add(mine, 'device', {
      deviceName: fresh('slow'),
      driverId,
      profileId: plant.profileId,
    });
    plant = { ...plant, driverId, deviceId };
    await world.app.bus.subscribe(
      'svc.e.point_command',
      { queue: 'slow', key: driverCode },
      async (command) => {
        commands.push(command);
      },
    );
  });

  async function write(value = '20'): Promise<Command> {
    const { deviceId, target: pointId } = plant;
    const commandId = await mine.data('/api/v3/data/point_command/write', {
      deviceId,
      pointId,
      value,
    });
    const find = async () => commands.find((command) => command.commandId === commandId);
    const command = await eventually(find, (found) => found !== undefined);
    if (!command) throw new Error('the command did not reach its driver');
    return command;
  }
  /** A pending write that nobody has sent yet. */
  async function insertOnly(): Promise<string> {
    const commandId = randomUUID();
    await inTenant(world.app.db, mine.tenantId, async (q) => {
      const { deviceId, target: pointId } = plant;
      const checked = await checkWrite(q, world.app, mine.tenantId, {
        deviceId,
        pointId,
        value: '20',
      });
      const caller = { tenantId: mine.tenantId, principalId: '1' };
      const now = world.clock.now();
      await insertWrite(q, { ...checked, caller, source: 'AGENTIC', commandId, now });
    });
    return commandId;
  }
  /** A clock that reads `start` plus each of `steps` in turn, then the last of them. */
  const later = (start: number, ...steps: number[]) => {
    let calls = 0;
    return () => start + (steps[calls++] ?? steps.at(-1) ?? 0);
  };
  const answer = ({ commandId, tenantId }: Command, given: Partial<Result>) =>
    world.bus.handled(
      'svc.e.point_command_result',
      resultOf({ commandId, tenantId, finishedAt: world.clock.now(), ...given }),
      driverCode,
    );
  const receipt = async ({ commandId }: { commandId: string }) =>
    Receipt.parse(await mine.data(`${HISTORY}/get_by_command_id`, undefined, { commandId }));
  const ended = (command: { commandId: string }) =>
    eventually(
      () => receipt(command),
      ({ status }) => status !== 'PENDING' && status !== 'SENT',
    );

  it('is SENT and without a result until the driver answers', async () => {
    const command = await write();
    expect(command).toMatchObject({ type: 'WRITE', value: '20', tenantId: mine.tenantId });
    expect(command.expireAt - command.occurredAt).toBe(10_000);
    expect(await receipt(command)).toMatchObject({
      status: 'SENT',
      source: 'HTTP',
      responseValue: null,
      verification: 'NONE',
      finishTime: null,
    });
    await answer(command, { status: 'SUCCESS' });
  });

  it.each([
    ['20.04', 'VERIFIED'],
    ['20.2', 'MISMATCH'],
    ['?', 'MISMATCH'],
    [null, 'UNVERIFIED'],
  ])('of a write of 20 that reads back as %s says %s', async (readBack, verification) => {
    const command = await write();
    await answer(command, { readBack, responseValue: '20' });
    expect(await receipt(command)).toMatchObject({
      status: 'SUCCESS',
      verification,
      responseValue: '20',
      readBackValue: readBack,
    });
  });

  it.each([
    ['21', 'MISMATCH', 'MISMATCH'],
    ['20', 'READ_BACK_INVALID', 'READ_BACK_INVALID'],
    [null, 'READ_BACK_INVALID', 'READ_BACK_INVALID'],
  ])('that reads back %s (%s) is no success', async (readBack, errorCode, named) => {
    const command = await write();
    const given = errorCode === 'MISMATCH' ? '' : errorCode;
    await answer(command, { readBack, responseValue: '20', errorCode: given });
    expect(await receipt(command)).toMatchObject({
      verification: 'MISMATCH',
      outcome: 'MISMATCH',
      done: false,
      errorCode: named,
      say: expect.stringContaining('did not become 20'),
    });
  });

  it.each(['FAILED', 'EXPIRED', 'UNKNOWN'] as const)(
    'keeps the first end of a command: %s',
    async (status) => {
      const command = await write();
      await answer(command, { status, errorCode: 'NOPE', errorMessage: 'the device said \0 no' });
      await answer(command, { status: 'SUCCESS', responseValue: '20', readBack: '20' });
      await answer(command, { status: 'DUPLICATE' });
      expect(await receipt(command)).toMatchObject({
        status,
        responseValue: null,
        errorCode: 'NOPE',
        verification: 'NONE',
      });
    },
  );

  it('cannot be ended by an answer that names another tenant', async () => {
    const command = await write();
    await answer({ ...command, tenantId: theirs.tenantId }, {});
    expect(await receipt(command)).toMatchObject({ status: 'SENT' });
    await answer(command, {});
    expect(await receipt(command)).toMatchObject({ status: 'SUCCESS' });
  });

  it('says UNKNOWN when the driver never answers, and stays so', async () => {
    const command = await write();
    world.clock.shift(13_001);
    expect(await ended(command)).toMatchObject({ status: 'UNKNOWN', errorCode: 'NO_ANSWER' });
    await answer(command, {});
    expect(await receipt(command)).toMatchObject({ status: 'UNKNOWN', responseValue: null });
  });

  it('says EXPIRED when the platform stopped before the command was sent', async () => {
    const commandId = await insertOnly();
    expect(await receipt({ commandId })).toMatchObject({ status: 'PENDING', source: 'AGENTIC' });
    world.clock.shift(10_001);
    expect(await ended({ commandId })).toMatchObject({ status: 'EXPIRED', sendTime: null });
    await dispatch(world.app, { tenantId: mine.tenantId, commandId });
    expect(commands.some((command) => command.commandId === commandId)).toBe(false);
  });

  it('says EXPIRED when its time passed between the row and the bus: nothing went out', async () => {
    const commandId = await insertOnly();
    const late = { ...systemClock, now: later(world.clock.now(), 0, 20_000) };
    await dispatch(otherNode(world.app, { clock: late }), { tenantId: mine.tenantId, commandId });
    expect(await receipt({ commandId })).toMatchObject({ status: 'EXPIRED', errorCode: 'EXPIRED' });
    expect(commands.some((command) => command.commandId === commandId)).toBe(false);
  });

  it('is about one command, however many try to dispatch it', async () => {
    const { commandId } = await write('12');
    await Promise.all(
      [1, 2, 3, 4].map(() => dispatch(world.app, { tenantId: mine.tenantId, commandId })),
    );
    expect(commands.filter((command) => command.commandId === commandId)).toHaveLength(1);
  });

  it('is answered as soon as the command ends to whoever waits, or as it is when time is up', async () => {
    const caller: Caller = {
      tenantId: mine.tenantId,
      principalId: '1',
      principalType: 'USER',
      name: 'admin',
      via: 'login',
      permissions: new Set(['*']),
    };
    const command = await write();
    const early = await waitForReceipt(world.app, caller, { ...command, waitMs: 1 });
    expect(early.status).toBe('SENT');
    const waiting = waitForReceipt(world.app, caller, { ...command, waitMs: 15_000 });
    await answer(command, { readBack: '20' });
    expect(await waiting).toMatchObject({ status: 'SUCCESS', verification: 'VERIFIED' });
  });

  it('is listed newest first, with flat or nested page', async () => {
    await answer(await write('10'), {});
    await answer(await write('11'), { status: 'FAILED' });
    const flat = Page.parse(
      await mine.data(`${HISTORY}/list`, { deviceId: plant.deviceId, page: 1, size: 1 }),
    );
    expect(flat).toMatchObject({ size: 1, current: 1, records: [{ requestValue: '11' }] });
    expect(flat.total).toBeGreaterThan(1);
    const nested = Page.parse(
      await mine.data(`${HISTORY}/list`, { page: { current: 2, size: 1 }, type: 'WRITE' }),
    );
    expect(nested).toMatchObject({ size: 1, current: 2, records: [{ requestValue: '10' }] });
    const failed = Page.parse(await mine.data(`${HISTORY}/list`, { status: 'FAILED' }));
    expect(new Set(failed.records.map(({ status }) => status))).toEqual(new Set(['FAILED']));
    expect(Page.parse(await theirs.data(`${HISTORY}/list`, {})).total).toBe(0);
  });

  it('400: for an id that is no UUID', async () => {
    expect((await mine.get(`${HISTORY}/get_by_command_id`, { commandId: '1' })).status).toBe(400);
  });

  it('404: for an unknown command and for one of another tenant alike', async () => {
    const { commandId } = await write();
    const path = `${HISTORY}/get_by_command_id`;
    const missing = await theirs.get(path, { commandId: randomUUID() });
    const foreign = await theirs.get(path, { command_id: commandId });
    expect([missing.status, foreign.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(missing.body);
  });
});
