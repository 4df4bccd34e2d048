import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { lineOf } from '../support/lwm2m/told-bench.ts';
import { openToldDevice, type Said, type ToldDevice } from '../support/lwm2m/told-device.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const HISTORY = '/api/v3/data/command_history';
const Call = z.looseObject({ status: z.string(), resultValues: z.string(), outcome: z.string() });

/** As docs/connect.md has it: command attributes of an administrator's own, and a command with its parameters. */
describe('an operation of an LwM2M device', () => {
  let device: ToldDevice;
  let deviceId: string;
  let answer: Said = { code: '2.04' };
  const world = startedWorld();
  beforeAll(async () => {
    const { admin } = world;
    const endpoint = fresh('urn:lamp');
    const known = await lwm2mDevice(admin, { endpoint });
    const { driverId, profileId } = known;
    ({ deviceId } = known);
    const attributes = new Map<string, string>();
    for (const code of ['operation', 'path']) {
      const attribute = { driverId, attributeName: code, attributeCode: code };
      const whole = { ...attribute, attributeTypeFlag: 'STRING', defaultValue: '' };
      attributes.set(code, await add(admin, 'command_attribute', whole));
    }
    for (const operation of ['create', 'read', 'delete']) {
      const commandCode = `${operation}-text`;
      const command = { commandName: commandCode, commandCode, timeout: 2, profileId };
      const commandId = await add(admin, 'command', command);
      for (const paramCode of ['value', 'path'])
        await add(admin, 'command_param', {
          commandId,
          paramName: paramCode,
          paramCode,
          paramTypeFlag: 'STRING',
        });
      for (const [code, configValue] of Object.entries({ operation, path: '/3341' }))
        await add(admin, 'command_attribute_config', {
          deviceId,
          commandId,
          attributeId: attributes.get(code),
          configValue,
        });
    }
    device = await openToldDevice(world.lwm2mPort, () => answer, { endpoint });
    // The driver learns of the device a moment after it was configured.
    await eventually(
      () => device.register(),
      (code) => code === '2.01',
    );
  });
  afterAll(async () => {
    device?.close();
  });

  async function called(commandCode: string, paramValues: Record<string, string>) {
    const { admin } = world;
    const id = await admin.data(`${HISTORY}/call`, { deviceId, commandCode, paramValues });
    return eventually(
      async () =>
        Call.parse(
          await admin.data(`${HISTORY}/get_by_record_id`, undefined, { recordId: String(id) }),
        ),
      ({ status }) => !['PENDING', 'SENT'].includes(status),
    );
  }

  it('creates an object instance over REST, and reads it', async () => {
    answer = { code: '2.01', location: '/3341/4' };
    const created = await called('create-text', { value: '{"5527":"Hello"}' });
    expect(created).toMatchObject({ status: 'SUCCESS', outcome: 'EXECUTED' });
    expect(JSON.parse(created.resultValues)).toEqual({ path: '/3341/4' });
    expect(device.heard().map(lineOf)).toEqual(['POST /3341 11542 e5159748656c6c6f']);
    answer = { code: '2.05', format: 110, payload: '[{"n":"/3341/4/5527","vs":"Hello"}]' };
    const read = await called('read-text', { path: '/3341/4' });
    expect(JSON.parse(read.resultValues)).toEqual({ '/3341/4/5527': 'Hello' });
  });

  it('that got no answer is unknown, and one that the device refused has failed', async () => {
    answer = null;
    const silent = await called('delete-text', { path: '/3341/4' });
    expect(silent).toMatchObject({ status: 'UNKNOWN', outcome: 'UNKNOWN' });
    answer = { code: '4.05' };
    const refused = await called('delete-text', { path: '/3341/4' });
    expect(refused).toMatchObject({ status: 'FAILED', outcome: 'FAILED' });
  });
});
