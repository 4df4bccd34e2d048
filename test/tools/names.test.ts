import { beforeAll, describe, expect, it } from 'vitest';

import { NotFound } from '../../src/kernel/errors.ts';
import { PLANT_NAMES } from '../../src/manager/find/plant-names.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, report, toolNamed } from './agent.ts';

const LISTED = 'searchDevices lists what there is';
const MANAGER = '/api/v3/manager';

const ids = new Map<string, string>();
const world = startedWorld();
const agent = prepared(() => agentIn(world.admin));
const site = prepared(() => onboard(world.admin, 'plant'));
beforeAll(async () => {
  const { driverId, profileId } = site;
  for (const deviceName of ['Boiler 1', 'Boiler 2', 'Boiler 3', 'Room 17', '204']) {
    const added = await world.admin.data(`${MANAGER}/device/add`, {
      deviceName,
      driverId,
      profileId,
    });
    ids.set(deviceName, String(added));
  }
  await report(world, world.admin, { ...site, deviceId: idOf('Boiler 2') }, [21.5]);
});

const idOf = (name: string): string => ids.get(name) ?? '';
const look = (deviceId: unknown) =>
  toolNamed('lookupDeviceById').run(world.app, agent, { deviceId });
const pairOf = (given: { deviceId?: string; pointId: string }, caller = agent) =>
  withNames(world.app, caller, (find) => find.pair(given));
const rename = (id: string, deviceName: string, admin = world.admin) =>
  admin.data(`${MANAGER}/device/update`, { id, deviceName });

describe('where an id is asked, a name', () => {
  it('finds the one that is meant', async () => {
    for (const name of ['Boiler 2', 'boiler2', 'BOILER-02', 'boilr 2', idOf('Boiler 2')])
      expect(await look(name)).toMatchObject({ deviceId: idOf('Boiler 2') });
  });

  it('that is misspelt is asked about where something is proposed, not guessed', async () => {
    const mine = await world.tenant('rooms');
    const { driverId, profileId } = await onboard(mine, 'cold');
    for (const deviceName of ['Kammer unten Nord', 'Kammer unter Rampe'])
      await mine.data(`${MANAGER}/device/add`, { deviceName, driverId, profileId });
    const asks = (name: string, input: object) =>
      toolNamed(name).run(world.app, agentIn(mine), input);
    const propose = (input: object) => asks('writePointValue', input);
    const wrong = 'Kammer unter Nord set-point';
    expect(await asks('getLatestPointValue', { pointId: wrong })).toMatchObject({
      deviceName: 'Kammer unten Nord',
    });
    const right = 'Kammer unten Nord set-point';
    for (const asked of [
      () => propose({ pointId: wrong, value: 21 }),
      () => propose({ deviceId: 'Kammer unter Nord', pointId: 'cold set-point', value: 21 }),
      () =>
        asks('proposeWrites', {
          writes: [
            { pointId: right, value: 21 },
            { pointId: wrong, value: 21 },
          ],
        }),
    ])
      await expect(asked).rejects.toThrow(/“Kammer unten Nord”.*“Kammer unter Rampe”/);
    for (const pointId of [right, 'KAMMER unten nord setpoint', 'Kammer unten Nord cold poi'])
      expect(await propose({ pointId, value: 21 })).toMatchObject({ status: 'PENDING' });
  });

  it('may be the code of a device, also with its point', async () => {
    const mine = await world.tenant('coded');
    const { driverId, profileId } = await onboard(mine, 'coded');
    const addDevice = async (deviceName: string, deviceCode: string) => {
      const row = { deviceName, deviceCode, driverId, profileId };
      return String(await mine.data(`${MANAGER}/device/add`, row));
    };
    const first = await addDevice('Wärmepumpe Süd', 'WP-01');
    const second = await addDevice('Wärmepumpe Nord', '4711');
    const asks = (name: string, input: object) =>
      toolNamed(name).run(world.app, agentIn(mine), input);
    const write = (input: object) => asks('writePointValue', { value: 21, ...input });
    for (const deviceId of ['WP-01', 'wp 1', 'wp1'])
      expect(await asks('lookupDeviceById', { deviceId })).toMatchObject({ deviceId: first });
    for (const deviceId of ['4711', 4711])
      expect(await asks('lookupDeviceById', { deviceId })).toMatchObject({ deviceId: second });
    expect(await asks('searchDevices', { query: 'wp-01' })).toMatchObject({
      total: 1,
      records: [{ deviceId: first }],
    });
    for (const input of [
      { pointId: 'wp-1 coded set-point' },
      { deviceId: 'wp-01', pointId: 'coded set-point' },
    ])
      expect(await write(input)).toMatchObject({ status: 'PENDING', deviceId: first });
    // The name of one is the code of another: that is asked about.
    await addDevice('WP 1', 'spare');
    for (const pointId of ['wp-1 coded set-point', 'coded set-point wp 01'])
      await expect(write({ pointId })).rejects.toThrow(/fits 2: .*“Wärmepumpe Süd”.*“WP 1”/);
    await expect(write({ deviceId: 'WP-01', pointId: 'coded set-point' })).rejects.toThrow(
      'fits 2',
    );
    await mine.data(`${MANAGER}/device/delete`, { id: first });
    expect(await write({ pointId: 'wp-1 coded set-point' })).toMatchObject({ deviceName: 'WP 1' });
  });

  it('finds a point and its device in one phrase, or each by itself', async () => {
    const pair = { deviceId: idOf('Boiler 2'), pointId: site.pointId };
    for (const given of [
      { pointId: 'boiler 2 set-point' },
      { pointId: 'setpoint of the plant boiler 2' },
      { deviceId: 'boiler 2', pointId: 'plant set-point' },
      { deviceId: idOf('Boiler 2'), pointId: 'set point' },
      { deviceId: 'Boiler-2', pointId: site.pointId },
      pair,
    ])
      expect(await pairOf(given)).toEqual(pair);
  });

  it('is answered with candidates where several have it', async () => {
    await expect(look('boiler')).rejects.toThrow(
      `“boiler” fits 3: “Boiler 1” (deviceId ${idOf('Boiler 1')}); “Boiler 2” (deviceId ${idOf('Boiler 2')}); ` +
        `“Boiler 3” (deviceId ${idOf('Boiler 3')}). Give an id, or more of the name`,
    );
    const several = pairOf({ pointId: 'boiler set-point' });
    await expect(several).rejects.toThrow(
      /^“boiler set-point” fits 3: “plant set-point” of “Boiler 1”/,
    );
    const pair = `deviceId ${idOf('Boiler 2')}, pointId ${site.pointId}`;
    await expect(several).rejects.toThrow(
      new RegExp(`of “Boiler 2” \\(${pair}\\): 21.5 °C, \\d+ s old, unknown`),
    );
    await expect(pairOf({ pointId: site.pointId })).rejects.toThrow(/fits 6: .*; and more\. Give/);
  });

  it('is answered with what is near where none has it', async () => {
    await expect(look('boiler 4')).rejects.toThrow(
      new NotFound(
        'A device “boiler 4”',
        `near: “Boiler 1” (deviceId ${idOf('Boiler 1')}); “Boiler 2” (deviceId ${idOf('Boiler 2')}); ` +
          `“Boiler 3” (deviceId ${idOf('Boiler 3')})`,
      ),
    );
    await expect(pairOf({ pointId: 'boiler 2 humidity' })).rejects.toThrow(
      `A point “boiler 2 humidity” does not exist; “Boiler 2” (deviceId ${idOf('Boiler 2')}) has ` +
        `“plant set-point” (pointId ${site.pointId})`,
    );
    await expect(look('xylophone')).rejects.toThrow(new NotFound('A device “xylophone”', LISTED));
  });

  it('of digits is an id first', async () => {
    expect(await look('204')).toMatchObject({ deviceId: idOf('204') });
    await expect(look('17')).rejects.toThrow(new NotFound('Device', LISTED));
  });

  it('is refused in words where it can be neither', async () => {
    for (const given of ['', ' - ', '0', '9223372036854775808', 'x'.repeat(161), 1e300])
      await expect(look(given)).rejects.toThrow(/must be an id/);
  });

  it('names nothing that the caller may not list', async () => {
    const caller = { ...agent, permissions: new Set(['svc-center-data:point_value:list']) };
    const refused = pairOf({ pointId: 'boiler set-point' }, caller);
    await expect(refused).rejects.toThrow('“boiler set-point” fits 3. Give an id');
  });
});

describe('names in memory', () => {
  it('count at the next call after a change, also one of another process', async () => {
    const id = idOf('Room 17');
    expect(await look('room 17')).toMatchObject({ deviceId: id });
    await rename(id, 'Office 17');
    expect(await look('office 17')).toMatchObject({ deviceName: 'Office 17' });
    await expect(look('room 17')).rejects.toThrow(NotFound);
    const before = world.app.of(PLANT_NAMES).known.get(agent.tenantId);
    await rename(id, 'Kitchen 17');
    // As it was for a process that heard of nothing.
    if (before) world.app.of(PLANT_NAMES).known.set(agent.tenantId, before);
    await expect(look('office 17')).rejects.toThrow(NotFound);
    expect(await look('kitchen 17')).toMatchObject({ deviceId: id });
  });

  it('are those of the tenant: a foreign name is answered as a missing one', async () => {
    const other = await world.tenant('other');
    const theirs = await onboard(other, 'theirs');
    await rename(theirs.deviceId, 'Xylophone 9', other);
    for (const given of ['Metallophone 9', 'Xylophone 9'])
      await expect(look(given)).rejects.toThrow(new NotFound(`A device “${given}”`, LISTED));
  });
});
