import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';

import { tokensIn } from '../../tools/shape/tokens.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, Page, report, toolNamed } from './agent.ts';

const MANAGER = '/api/v3/manager';
const DEVICES = 90;

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'plant'));
beforeAll(async () => {
  const { driverId, profileId } = site;
  for (let number = 1; number <= DEVICES; number += 1)
    await world.admin.data(`${MANAGER}/device/add`, {
      deviceName: `Hall ${number % 7} Boiler ${number}`,
      remark: number === 17 ? 'leaks since March' : '',
      driverId,
      profileId,
    });
  const pressure = { pointName: 'plant pressure', pointTypeFlag: 'DOUBLE', unit: 'bar', profileId };
  await world.admin.data(`${MANAGER}/point/add`, { ...pressure, rwFlag: 'READ_ONLY' });
  await report(world, world.admin, site, [21.5]);
});

const call = async (name: string, input: object) =>
  Page.parse(await toolNamed(name).run(world.app, agentIn(world.admin), input));
const namesIn = async (input: object, name = 'searchDevices', field = 'deviceName') =>
  (await call(name, { limit: 100, maxTokens: 6_000, ...input })).records.map((row) => row[field]);

describe('the size of an answer', () => {
  it.each([400, 1_500, 6_000])('of %i tokens is met within 5 %', async (maxTokens) => {
    const page = await call('searchDevices', { limit: 100, maxTokens });
    expect(page.total).toBeGreaterThan(DEVICES);
    const tokens = countTokens(JSON.stringify(page));
    expect(tokens).toBeLessThanOrEqual(maxTokens * 1.05);
    const row = countTokens(JSON.stringify(page.records[0]));
    if (page.nextCursor !== null) expect(tokens + row).toBeGreaterThanOrEqual(maxTokens * 0.95);
    expect(tokensIn(JSON.stringify(page))).toBeGreaterThanOrEqual(tokens * 0.95);
  });

  it('is 1,500 tokens unless another is asked for', async () => {
    const page = await call('searchDevices', { limit: 100 });
    expect(countTokens(JSON.stringify(page))).toBeLessThanOrEqual(1_575);
    expect(page.returned).toBeLessThan(page.total);
  });

  it('cuts rows, and the cursor goes on exactly there', async () => {
    const [all, seen]: [unknown[], unknown[]] = [await namesIn({}), []];
    let cursor: string | null = null;
    do {
      const input = { maxTokens: 300, limit: 30, ...(cursor === null ? {} : { cursor }) };
      const page: Awaited<ReturnType<typeof call>> = await call('searchDevices', input);
      seen.push(...page.records.map((row) => row['deviceName']));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(DEVICES + 1);
    expect(new Set(seen).size).toBe(DEVICES + 1);
    expect(seen.slice(0, all.length)).toEqual(all);
  });

  it.each(['10.999', '10.1.99', '1.200'])(
    '%s, which no answer gave, is no cursor',
    async (cursor) => {
      await expect(call('searchDevices', { cursor })).rejects.toThrow(/must be the nextCursor of/);
    },
  );
});

describe('searchDevices', () => {
  it('finds by words of name and remark, with typos and in any order', async () => {
    expect(await namesIn({ query: 'boiler 17' })).toEqual(['Hall 3 Boiler 17']);
    expect(await namesIn({ query: 'boilr 17 hall 3' })).toEqual(['Hall 3 Boiler 17']);
    expect(await namesIn({ query: 'since march' })).toEqual(['Hall 3 Boiler 17']);
    expect(await namesIn({ query: 'boiler 170' })).toEqual([]);
  });

  it('finds by status', async () => {
    expect(await namesIn({ status: 'online' })).toEqual([]);
    expect(await namesIn({ status: 'offline' })).toEqual([]);
    for (const status of ['unknown', 'never connected'])
      expect(await call('searchDevices', { status })).toMatchObject({ total: DEVICES + 1 });
  });

  it('finds by driver and profile, given by name, and says them by name', async () => {
    const input = { driverId: 'plant driver', profileId: 'PLANT-PROFILE', query: 'boiler 5' };
    const { records } = await call('searchDevices', input);
    expect(records).toEqual([
      {
        deviceId: expect.any(String),
        deviceName: 'Hall 5 Boiler 5',
        driverName: 'plant driver',
        profileName: 'plant profile',
        status: 'unknown',
        statusReason: 'no driver has spoken of it yet',
      },
    ]);
    await expect(call('searchDevices', { groupId: 'east' })).rejects.toThrow(
      'A group “east” does not exist',
    );
  });

  it('finds the devices of a group that words name, and says which groups there are', async () => {
    const groupId = await world.admin.data('/api/v3/manager/group/add', {
      groupName: 'Solarfeld',
      groupTypeFlag: 'DEVICE',
    });
    await world.admin.data('/api/v3/manager/group_bind/add', {
      groupId,
      entityTypeFlag: 'DEVICE',
      entityId: site.deviceId,
    });
    const agent = agentIn(world.admin);
    const found = await toolNamed('searchDevices').run(world.app, agent, { query: 'solarfeld' });
    expect(found).toMatchObject({
      total: 1,
      ofGroup: 'Solarfeld',
      records: [{ deviceId: site.deviceId }],
    });
    expect(
      await toolNamed('searchDevices').run(world.app, agent, { query: 'windpark' }),
    ).toMatchObject({ total: 0, groups: ['Solarfeld'] });
    const few = { ...agent, permissions: new Set(['svc-center-manager:device:list']) };
    const none = await toolNamed('searchDevices').run(world.app, few, { query: 'windpark' });
    expect(none).not.toHaveProperty('groups');
    await expect(call('searchDevices', { groupId: 'roof' })).rejects.toThrow(
      'A group “roof” does not exist; there are: “Solarfeld”',
    );
  });
});

describe('searchPoints', () => {
  const points = (input: object) => namesIn(input, 'searchPoints', 'pointName');

  it('finds by unit, and by whether it can be written', async () => {
    expect(await points({ unit: 'bar' })).toEqual(['plant pressure']);
    expect(await points({ writable: true })).toEqual(['plant set-point']);
    expect(await points({ writable: false, profileId: 'plant profile' })).toEqual([
      'plant pressure',
    ]);
  });

  it('finds by words, the device among them, with the latest value on request', async () => {
    expect(await points({ query: 'presure' })).toEqual(['plant pressure']);
    expect((await call('searchPoints', { query: 'boiler 17 pressure' })).records).toEqual([
      {
        deviceId: expect.any(String),
        deviceName: 'Hall 3 Boiler 17',
        pointId: expect.any(String),
        pointName: 'plant pressure',
        type: 'DOUBLE',
        rw: 'READ_ONLY',
        unit: 'bar',
        value: null,
      },
    ]);
    const input = { query: 'set-point', deviceId: 'plant device', withValue: true };
    expect((await call('searchPoints', input)).records).toMatchObject([
      {
        deviceId: site.deviceId,
        pointId: site.pointId,
        value: '21.5',
        unit: '°C',
        quality: 'GOOD',
      },
    ]);
  });
});
