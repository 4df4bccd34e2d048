import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { Attributes } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const HISTORY = '/api/v3/data/command_history';
const MANAGER = '/api/v3/manager';
const Record = z.looseObject({
  recordId: z.string(),
  status: z.string(),
  resultValues: z.string(),
  errorCode: z.string(),
});

describe('a custom command', () => {
  let commandId: string;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    commandId = await add(mine, 'command', {
      commandName: 'purge',
      commandCode: 'purge',
      timeout: 30,
      profileId: plant.profileId,
    });
    const param = { commandId, paramTypeFlag: 'DOUBLE' };
    await add(mine, 'command_param', {
      ...param,
      paramName: 'volume',
      paramCode: 'volume',
      requiredFlag: true,
    });
    await add(mine, 'command_param', {
      ...param,
      paramName: 'mode',
      paramCode: 'mode',
      paramTypeFlag: 'STRING',
      defaultValue: 'slow',
    });
    await add(mine, 'command_param', {
      ...param,
      paramName: 'left',
      paramCode: 'left',
      paramDirectionFlag: 'OUTPUT',
    });
    const declared = await mine.data(`${MANAGER}/command_attribute/list_by_driver_id`, undefined, {
      driver_id: plant.driverId,
    });
    const attribute = (code: string) =>
      Attributes.parse(declared).find(({ attributeCode }) => attributeCode === code)?.id;
    for (const [code, configValue] of [
      ['payloadTemplate', 'purge ${volume} ${mode}'],
      ['responseTemplate', '{"left": 7, "echo": "${mode}"}'],
    ])
      await add(mine, 'command_attribute_config', {
        deviceId: plant.deviceId,
        commandId,
        attributeId: attribute(code ?? ''),
        configValue,
      });
  });

  const call = (body: object) =>
    mine.post(`${HISTORY}/call`, { deviceId: plant.deviceId, commandId, ...body });
  const record = async (recordId: unknown) =>
    Record.parse(
      await mine.data(`${HISTORY}/get_by_record_id`, undefined, { recordId: String(recordId) }),
    );
  const ended = (recordId: unknown) =>
    eventually(
      () => record(recordId),
      ({ status }) => !['PENDING', 'SENT'].includes(status),
    );

  it('200: is carried out by the driver, with defaults filled in, and tells what came of it', async () => {
    const { status, body } = await call({ paramValues: { volume: '05.0' } });
    expect({ status, code: body.code }).toEqual({ status: 200, code: 'R200' });
    expect(await ended(body.data)).toMatchObject({
      status: 'SUCCESS',
      paramValues: '{"mode": "slow", "volume": "5"}'.replaceAll(/([:,]) /g, '$1'),
      resultValues: JSON.stringify({ echo: 'slow', left: '7', payload: 'purge 5 slow' }),
      commandCode: 'purge',
      source: 'HTTP',
      outcome: 'EXECUTED',
      done: true,
      say: expect.stringMatching(
        /^“purge” on “[^“”]+” was called: sent \S+Z, the device accepted it\.$/,
      ),
    });
    const listed = await mine.data(`${HISTORY}/list`, { commandId, status: 'SUCCESS' });
    expect(JSON.stringify(listed)).toContain(String(body.data));
  });

  it('200: is found by its code as well', async () => {
    const { body } = await mine.post(`${HISTORY}/call`, {
      deviceId: plant.deviceId,
      commandCode: 'purge',
      paramValues: { volume: 1 },
    });
    expect((await ended(body.data)).status).toBe('SUCCESS');
  });

  it('200: is done once, however often it is asked for under the same name', async () => {
    const named = { commandId_: randomUUID(), paramValues: { volume: '2' } };
    const first = await call(named);
    expect((await call(named)).body.data).toBe(first.body.data);
    const other = await call({ ...named, paramValues: { volume: '3' } });
    expect(other.status).toBe(409);
  });

  it('200: is the same record when it is asked for again after its device was disabled', async () => {
    const named = { commandId_: randomUUID(), paramValues: { volume: '02.0' } };
    const first = await call(named);
    const enable = (enableFlag: string) =>
      mine.data(`${MANAGER}/device/update`, { id: plant.deviceId, enableFlag });
    await enable('DISABLE');
    expect((await call(named)).body.data).toBe(first.body.data);
    const spelled = { volume: 2, mode: 'slow' };
    expect((await call({ ...named, paramValues: spelled })).body.data).toBe(first.body.data);
    const byCode = { deviceId: plant.deviceId, commandCode: 'purge', ...named };
    expect((await mine.post(`${HISTORY}/call`, byCode)).body.data).toBe(first.body.data);
    for (const paramValues of [{ volume: 3 }, { volume: 2, mode: 'fast' }, {}])
      expect((await call({ ...named, paramValues })).status).toBe(409);
    expect((await call({ paramValues: { volume: 2 } })).status).toBe(422);
    await enable('ENABLE');
  });

  it.each([
    ['a required parameter is missing', {}, 'The parameter volume is required'],
    ['a value is of another type', { volume: 'much' }, 'The parameter volume must be a DOUBLE'],
    ['there is no such parameter', { volume: '1', x: '1' }, 'The command has no parameter x'],
    ['it is one that the device answers', { volume: '1', left: '1' }, 'no parameter left'],
  ])('422: when %s', async (_when, paramValues, message) => {
    expect(await call({ paramValues })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(message) },
    });
  });

  it('422: for a device of another profile; 404: for what is not there; 400: without a command', async () => {
    const other = await onboard(mine);
    const paramValues = { volume: '1' };
    expect((await call({ deviceId: other.deviceId, paramValues })).status).toBe(422);
    expect((await call({ commandId: '999999', paramValues })).status).toBe(404);
    expect((await call({ commandId: undefined })).status).toBe(400);
    const none = await mine.get(`${HISTORY}/get_by_record_id`, { recordId: randomUUID() });
    expect(none.status).toBe(404);
  });

  describe('of another driver', () => {
    let deviceId: string;
    let lost: Promise<Payload<'svc.e.command'>>;

    beforeAll(async () => {
      const driverId = await add(mine, 'driver', {
        driverName: fresh('driver'),
        driverCode: 'CallDriver',
        serviceName: 'svc-driver-call',
      });
      const { profileId } = plant;
      deviceId = await add(mine, 'device', { deviceName: fresh('device'), driverId, profileId });
    });

    it('fails at once while nobody listens', async () => {
      const { body } = await call({ deviceId, paramValues: { volume: '1' } });
      expect(await ended(body.data)).toMatchObject({
        status: 'FAILED',
        errorCode: 'DRIVER_OFFLINE',
      });
    });

    it('ends UNKNOWN when its time and the grace are over, and no late answer changes that', async () => {
      const heard = Promise.withResolvers<Payload<'svc.e.command'>>();
      lost = heard.promise;
      const listening = await world.app.bus.subscribe(
        'svc.e.command',
        { queue: 'test-calls', key: 'CallDriver' },
        async (message) => heard.resolve(message),
      );
      const { body } = await call({ deviceId, paramValues: { volume: '1' } });
      const message = await lost;
      expect(message.expireAt - message.occurredAt).toBe(30_000);
      expect((await record(body.data)).status).toBe('SENT');
      world.clock.shift(33_500);
      expect(await ended(body.data)).toMatchObject({ status: 'UNKNOWN', errorCode: 'NO_ANSWER' });
      await world.bus.handled(
        'svc.e.command_result',
        {
          schemaVersion: 1,
          recordId: message.recordId,
          tenantId: message.tenantId,
          status: 'SUCCESS',
          resultValues: {},
          errorCode: '',
          errorMessage: '',
          finishedAt: world.clock.now(),
        },
        'CallDriver',
      );
      expect((await record(body.data)).status).toBe('UNKNOWN');
      await listening.cancel();
    });
  });
});
