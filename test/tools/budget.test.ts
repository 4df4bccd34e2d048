import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, expect, it } from 'vitest';

import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, toolNamed } from './agent.ts';

const MAX_ANSWER_TOKENS = 1500;
const LONGEST_NAME = 'Boiler 3/outlet temperature|no. ';
const LONGEST_CODE = 'PLANT-0001/LINE-02/UNIT-03/SENSOR-TEMPERATURE-OUTLET-000000-';

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'site'));
beforeAll(async () => {
  const { driverId, profileId } = site;
  const add = (noun: string, body: object) =>
    world.admin.data(`/api/v3/manager/${noun}/add`, { remark: 'r'.repeat(512), ...body });
  const eventId = await add('event', {
    eventName: LONGEST_NAME,
    eventCode: LONGEST_CODE,
    profileId,
  });
  for (let index = 10; index < 22; index += 1) {
    const name = `${LONGEST_NAME.slice(0, 30)}${index}`;
    const code = `${LONGEST_CODE.slice(0, 60)}${index}`;
    const named = (noun: string) => ({ [`${noun}Name`]: name, [`${noun}Code`]: code });
    await add('driver', { ...named('driver'), serviceName: 'svc-driver-x', serviceHost: 'x' });
    await add('profile', named('profile'));
    await add('device', { ...named('device'), driverId, profileId });
    await add('point', { ...named('point'), pointTypeFlag: 'DOUBLE', unit: 'm³/h', profileId });
    await add('command', { ...named('command'), profileId });
    await add('event', { ...named('event'), profileId });
    await world.admin.data('/api/v3/data/event_history/report', {
      deviceId: site.deviceId,
      eventId,
      message: 'Überdruck: '.repeat(93),
    });
  }
});

it.each([
  ['searchDevices', {}],
  ['searchDrivers', {}],
  ['searchProfiles', {}],
  ['searchPoints', {}],
  ['searchEvents', {}],
  ['searchEvents', { kind: 'reported' }],
  ['searchCommands', { kind: 'definition' }],
])('a full page of %s with the longest names is at most 1,500 tokens', async (name, input) => {
  const answer = await toolNamed(name).run(world.app, agentIn(world.admin), input);
  expect(answer).toMatchObject({ returned: expect.any(Number) });
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(MAX_ANSWER_TOKENS);
});
