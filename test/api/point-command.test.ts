import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add, onboard, pointAttributes } from '../support/devices/plant.ts';
import { request } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const READ = '/api/v3/data/point_command/read';
const WRITE = '/api/v3/data/point_command/write';
const RECEIPT = '/api/v3/data/point_command_history/get_by_command_id';

const Receipt = z.looseObject({
  commandId: z.string(),
  status: z.string(),
  verification: z.string(),
  requestValue: z.string().nullable(),
  responseValue: z.string().nullable(),
  readBackValue: z.string().nullable(),
  errorCode: z.string(),
});

describe('a point command', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  const theirs = prepared(() => world.tenant('other'));
  const foreign = prepared(() => onboard(theirs));

  const receipt = async (commandId: unknown) =>
    Receipt.parse(await mine.data(RECEIPT, undefined, { commandId: String(commandId) }));
  const ended = (commandId: unknown) =>
    eventually(
      () => receipt(commandId),
      ({ status }) => status !== 'PENDING' && status !== 'SENT',
    );
  const target = () => ({ deviceId: plant.deviceId, pointId: plant.target });

  describe('200', () => {
    it('reads: the id at once, the value with the receipt', async () => {
      const commandId = await mine.data(READ, {
        deviceId: plant.deviceId,
        pointId: plant.temperature,
      });
      const { status, verification, responseValue } = await ended(commandId);
      expect({ status, verification }).toEqual({ status: 'SUCCESS', verification: 'NONE' });
      expect(Number(responseValue)).not.toBeNaN();
    });

    it('writes, and says that the device holds the value', async () => {
      const commandId = await mine.data(WRITE, { ...target(), value: '21.50' });
      expect(await ended(commandId)).toMatchObject({
        status: 'SUCCESS',
        verification: 'VERIFIED',
        requestValue: '21.5',
        responseValue: '21.5',
        readBackValue: '21.5',
      });
    });

    it('takes numbers as values and ids as numbers', async () => {
      const commandId = await mine.data(WRITE, {
        deviceId: Number(plant.deviceId),
        pointId: Number(plant.target),
        value: 20,
      });
      expect(await ended(commandId)).toMatchObject({ status: 'SUCCESS', responseValue: '20' });
    });

    it.each([
      ['STRING', '', ''],
      ['DOUBLE', 1e20, '100000000000000000000'],
      ['DOUBLE', '1e20', '100000000000000000000'],
    ])('writes to a %s what it can hold: %j', async (pointTypeFlag, value, held) => {
      const { profileId, deviceId, driverId } = await onboard(mine);
      const point = { pointName: 'name', pointTypeFlag, rwFlag: 'READ_WRITE', profileId };
      const pointId = await add(mine, 'point', point);
      const attributeId = (await pointAttributes(mine, driverId)).get('signal');
      const config = { deviceId, pointId, attributeId, configValue: 'setpoint' };
      await add(mine, 'point_attribute_config', config);
      expect(await ended(await mine.data(WRITE, { deviceId, pointId, value }))).toMatchObject({
        status: 'SUCCESS',
        verification: 'VERIFIED',
        readBackValue: held,
      });
    });

    it('issues once what is asked again with the same command id', async () => {
      const command = { ...target(), value: '19', commandId: randomUUID() };
      const answers = await Promise.all([1, 2, 3, 4].map(() => mine.data(WRITE, command)));
      expect(new Set(answers).size).toBe(1);
      expect(await ended(answers[0])).toMatchObject({ status: 'SUCCESS' });
      const list = await mine.data('/api/v3/data/point_command_history/list', target());
      const written = z
        .object({ records: z.array(Receipt) })
        .parse(list)
        .records.filter(({ requestValue }) => requestValue === '19');
      expect(written).toHaveLength(1);
    });

    it('answers the same id to a repeated command after its device was disabled', async () => {
      const site = await onboard(mine);
      const pair = { deviceId: site.deviceId, pointId: site.target };
      const written = { ...pair, value: '19.50', commandId: randomUUID() };
      const asked = { ...pair, commandId: randomUUID() };
      const first = [await mine.data(WRITE, written), await mine.data(READ, asked)];
      await mine.data('/api/v3/manager/device/update', {
        id: site.deviceId,
        enableFlag: 'DISABLE',
      });
      expect(await mine.data(WRITE, written)).toBe(first[0]);
      expect(await mine.data(WRITE, { ...written, value: 19.5 })).toBe(first[0]);
      expect(await mine.data(READ, asked)).toBe(first[1]);
      expect((await mine.post(WRITE, { ...written, value: '18' })).status).toBe(409);
      expect((await mine.post(WRITE, { ...pair, value: '19.5' })).status).toBe(422);
    });

    it('takes a command id that another tenant uses like any other', async () => {
      const commandId = randomUUID();
      const command = { ...target(), value: '16', commandId };
      const issued = await mine.data(WRITE, command);
      const elsewhere = await theirs.data(WRITE, {
        deviceId: foreign.deviceId,
        pointId: foreign.target,
        value: '15',
        commandId,
      });
      expect(elsewhere).not.toBe(issued);
      expect(await ended(issued)).toMatchObject({ status: 'SUCCESS', requestValue: '16' });
    });

    it('ends FAILED when no driver listens', async () => {
      const driverId = await add(mine, 'driver', {
        driverName: fresh('nobody'),
        serviceName: 'svc-driver-nobody',
      });
      const deviceId = await add(mine, 'device', {
        deviceName: fresh('orphan'),
        driverId,
        profileId: plant.profileId,
      });
      const commandId = await mine.data(WRITE, { deviceId, pointId: plant.target, value: 20 });
      expect(await receipt(commandId)).toMatchObject({
        status: 'FAILED',
        errorCode: 'DRIVER_OFFLINE',
        responseValue: null,
      });
    });
  });

  it.each([
    ['a body without a point', { deviceId: '1' }],
    ['an id that is no number', { deviceId: 'x', pointId: '1' }],
    ['an id beyond 64 bits', { deviceId: '9223372036854775808', pointId: '1' }],
    ['NUL in the value', { deviceId: '1', pointId: '1', value: 'a\0b' }],
    ['a command id that is no UUID', { deviceId: '1', pointId: '1', value: '1', commandId: '7' }],
    ['an object for a value', { deviceId: '1', pointId: '1', value: {} }],
  ])('400: %s', async (_name, body) => {
    expect((await mine.post(WRITE, body)).status).toBe(400);
  });

  it('401: without a login', async () => {
    expect((await request(world.base, 'POST', WRITE, { body: target() })).status).toBe(401);
  });

  describe('404', () => {
    it('is the answer for a device or point of another tenant, as for a missing one', async () => {
      const missing = await mine.post(READ, { deviceId: '999999', pointId: plant.target });
      const other = await mine.post(READ, { deviceId: foreign.deviceId, pointId: plant.target });
      expect([missing.status, other.status]).toEqual([404, 404]);
      expect(other.body).toEqual(missing.body);
      const point = await mine.post(READ, { deviceId: plant.deviceId, pointId: foreign.target });
      expect(point.status).toBe(404);
    });
  });

  describe('409', () => {
    it('is the answer for a command id that was used for something else', async () => {
      const named = randomUUID();
      const commandId = await mine.data(WRITE, { ...target(), value: '18', commandId: named });
      const other = await mine.post(WRITE, { ...target(), value: '17', commandId: named });
      expect(other.status).toBe(409);
      expect(await ended(commandId)).toMatchObject({ requestValue: '18' });
    });
  });

  describe('422', () => {
    it.each([
      ['out of limits', '31'],
      ['not a number', 'warm'],
      ['not finite', 'Infinity'],
      ['blank', ' '],
    ])('is the answer for a value that is %s', async (_name, value) => {
      expect((await mine.post(WRITE, { ...target(), value })).status).toBe(422);
    });

    it('is the answer for a point that is not writable', async () => {
      const { status, body } = await mine.post(WRITE, {
        deviceId: plant.deviceId,
        pointId: plant.temperature,
        value: '1',
      });
      expect({ status, message: body.message }).toEqual({
        status: 422,
        message: expect.stringMatching(
          /^The point “[^”]+” is not writable; writable points of this device: “target”$/,
        ),
      });
    });

    it('says what would be taken', async () => {
      const refusal = async (value: string) =>
        (await mine.post(WRITE, { ...target(), value })).body.message;
      expect(await refusal('31')).toMatch(
        /^The value 31.* is out of limits: “[^”]+” takes .*\d+.* to .*\d+/,
      );
      expect(await refusal('61 °C')).toMatch(
        /^The value “61 °C” is not of the type DOUBLE: “[^”]+” takes a number such as 21.5, in °C$/,
      );
      expect(await refusal('70 °F')).toMatch(
        /takes a number such as 21.5, in °C \(70 °F is 21.11 °C\)$/,
      );
    });

    it('is the answer for a point of another profile, and for a disabled device', async () => {
      const other = await onboard(mine);
      const mixed = await mine.post(READ, { deviceId: plant.deviceId, pointId: other.target });
      expect(mixed.status).toBe(422);
      await mine.data('/api/v3/manager/device/update', {
        id: other.deviceId,
        enableFlag: 'DISABLE',
      });
      const disabled = await mine.post(READ, { deviceId: other.deviceId, pointId: other.target });
      expect(disabled.status).toBe(422);
    });
  });
});
