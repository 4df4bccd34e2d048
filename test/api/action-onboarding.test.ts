import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { add } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { reportWaiting, waitingEndpoint } from '../support/lwm2m/waiting.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic/action';
const MANAGER = '/api/v3/manager';
const WAITING = `${MANAGER}/device/waiting`;

const world = startedWorld();

const Action = z.looseObject({ status: z.string(), digest: z.string(), say: z.string() });
const Proposed = z.looseObject({ actionId: z.string(), say: z.string() });
const Found = z.object({
  records: z.array(z.looseObject({ waitingId: z.string(), endpoint: z.string() })),
});
const Done = z.object({ result: z.object({ deviceId: z.string() }) });

const call = (name: string, session: Session, input: object) =>
  toolNamed(name).run(world.app, agentIn(session), input);
const propose = async (session: Session, given: object) =>
  Proposed.parse(await call('proposeOnboarding', session, given));
const look = async (session: Session, actionId: string) =>
  Action.parse(await session.data(`${AGENTIC}/get`, undefined, { actionId }));
const confirm = async (session: Session, actionId: string) => {
  const { digest } = await look(session, actionId);
  return session.post(`${AGENTIC}/confirm`, { actionId, digest });
};
const devicesOf = async (session: Session, deviceName: string) =>
  Records.parse(await session.data(`${MANAGER}/device/list`, { deviceName })).records;
const waitingOf = async (session: Session) =>
  Found.parse(await call('searchWaitingDevices', session, {})).records;

/** An endpoint that the platform gave to the tenant of a session, and that proved no key. */
async function assigned(session: Session) {
  await lwm2mDevice(session, {});
  const id = await waitingEndpoint(world, world.admin);
  await world.admin.data(`${WAITING}/assign`, { id, tenantId: session.tenantId });
  const [row] = (await waitingOf(session)).filter(({ waitingId }) => waitingId === id);
  return { id, endpoint: row?.endpoint ?? '' };
}

/** An endpoint that proved the key of a device of the tenant. */
async function proven(session: Session, configs = {}) {
  const device = await lwm2mDevice(session, configs);
  const endpoint = fresh('urn:renamed');
  const key = { tenantId: session.tenantId, deviceId: device.deviceId };
  await reportWaiting(world, { endpoint, key });
  const [row] = (await waitingOf(session)).filter((one) => one.endpoint === endpoint);
  return { id: row?.waitingId ?? '', endpoint, ...device };
}

describe('an onboarding that an agent proposes', () => {
  it('says what it would make, and makes it once, as the person that confirmed it', async () => {
    const mine = await world.tenant('onboards');
    const { id, endpoint } = await assigned(mine);
    const profileId = await add(mine, 'profile', { profileName: 'meter' });
    const asked = {
      waitingId: id,
      deviceName: 'meter 7',
      profileId: 'meter',
      reason: 'Hall 3 has a new meter.',
    };
    const { actionId, ...said } = await propose(mine, asked);
    expect(said).toMatchObject({ pendingConfirmation: true, status: 'PENDING' });
    const left = Date.parse(String(said['expiresAt'])) - world.clock.now();
    expect(Math.round(left / 3_600_000)).toBe(24);
    expect(said.say).toMatch(
      new RegExp(
        `^Onboard “${endpoint}”: it becomes the new device “meter 7” of the driver “.+”, with the profile “meter”\\. ` +
          'It proved no key; an administrator of the platform gave it to this tenant\\. ' +
          'There is no undo: a person deletes the device\\. Not executed: it waits for a human to confirm it until .+\\.$',
      ),
    );
    expect(await propose(mine, asked)).toMatchObject({ actionId, repeated: true });
    expect(await look(mine, actionId)).toMatchObject({
      kind: 'onboarding',
      reason: 'Hall 3 has a new meter.',
      onboarding: {
        waitingId: id,
        endpoint,
        proof: 'NONE',
        deviceId: null,
        deviceName: 'meter 7',
        profileId,
        profileName: 'meter',
      },
    });
    expect((await mine.post(`${AGENTIC}/confirm`, { actionId })).status).toBe(412);
    expect(await devicesOf(mine, 'meter 7')).toEqual([]);
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await confirm(mine, actionId)).status).toBe(200);
    const [device, ...others] = await devicesOf(mine, 'meter 7');
    expect(others).toEqual([]);
    expect(device).toMatchObject({ profileId, creatorName: 'onboards-admin' });
    expect(await waitingOf(mine)).toEqual([]);
    const done = await look(mine, actionId);
    expect(done).toMatchObject({ status: 'EXECUTED', result: { deviceId: device?.id } });
    expect(done.say).toBe(
      `“${endpoint}” became the endpoint of the new device “meter 7” (id ${device?.id}), confirmed by “onboards-admin”. ` +
        'It can register from then on; that was not awaited.',
    );
    await expect(call('proposeUndo', mine, { actionId })).rejects.toThrow(
      'Only writes of values can be undone',
    );
  });

  it('gives the device whose key it proved its new endpoint, and says which one is refused then', async () => {
    const mine = await world.tenant('onboards-proven');
    const former = fresh('urn:former');
    const { id, endpoint, deviceId, deviceName } = await proven(mine, { endpoint: former });
    const { actionId, say } = await propose(mine, { waitingId: id });
    expect(say).toContain(
      `“${endpoint}”: it becomes the endpoint of the device “${deviceName}” of the driver`,
    );
    expect(say).toContain(
      `“${former}”, which it had, is refused then. It proved the key of that device. There is no undo`,
    );
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect(Done.parse(await look(mine, actionId))).toEqual({ result: { deviceId } });
  });

  it('over REST is the same', async () => {
    const mine = await world.tenant('onboards-rest');
    const { id } = await assigned(mine);
    const body = { waitingId: id, deviceName: 'pump' };
    const { data } = (await mine.post(`${AGENTIC}/propose_onboarding`, body)).body;
    const { actionId, say } = Proposed.parse(data);
    expect(say).toContain('with a new profile without points');
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect(await devicesOf(mine, 'pump')).toHaveLength(1);
  });

  it('puts the device into a group, or moves it there, as the card says', async () => {
    const mine = await world.tenant('onboards-group');
    const group = (groupName: string, groupTypeFlag = 'DEVICE') =>
      add(mine, 'group', { groupName, groupTypeFlag });
    const hall = await group('Hall 3');
    const roof = await group('Roof');
    const groupOf = async (entityId: string) => {
      const binds = await mine.data(`${MANAGER}/group_bind/list`, { entityId });
      return z.object({ records: z.array(z.looseObject({ groupId: z.string() })) }).parse(binds)
        .records;
    };
    const { id } = await assigned(mine);
    const made = await propose(mine, { waitingId: id, deviceName: 'meter 7', groupId: 'hall 3' });
    expect(made.say).toContain('It is put into the group “Hall 3”. It proved no key');
    expect(await look(mine, made.actionId)).toMatchObject({
      onboarding: { groupId: hall, groupName: 'Hall 3', groupBefore: null },
    });
    expect((await confirm(mine, made.actionId)).status).toBe(200);
    const { deviceId } = Done.parse(await look(mine, made.actionId)).result;
    expect(await groupOf(deviceId)).toMatchObject([{ groupId: hall }]);
    const log = await mine.data('/api/v3/data/change/list', { entityType: 'group_bind' });
    expect(JSON.stringify(log)).toContain('Hall 3');
    // A device that is there leaves its group, and the card is looked at again once that is another one.
    const known = await proven(mine);
    const place = { entityTypeFlag: 'DEVICE', entityId: known.deviceId };
    const bindId = await add(mine, 'group_bind', { ...place, groupId: hall });
    const moved = await propose(mine, { waitingId: known.id, groupId: roof });
    expect(moved.say).toContain('It is moved from the group “Hall 3” to “Roof”');
    const cellar = await group('Cellar');
    await mine.data(`${MANAGER}/group_bind/update`, { id: bindId, groupId: cellar });
    const stale = await confirm(mine, moved.actionId);
    expect(stale.status).toBe(412);
    expect(stale.body.message).toContain('the group that the device is in');
    expect((await confirm(mine, moved.actionId)).status).toBe(200);
    expect(await groupOf(known.deviceId)).toMatchObject([{ groupId: roof }]);
  });

  it('is refused for a group that is not of the tenant or not of devices, and without the right', async () => {
    const mine = await world.tenant('onboards-group-refused');
    const other = await world.tenant('onboards-group-other');
    const theirs = await add(other, 'group', { groupName: 'Theirs', groupTypeFlag: 'DEVICE' });
    const points = await add(mine, 'group', { groupName: 'Points', groupTypeFlag: 'POINT' });
    const hall = await add(mine, 'group', { groupName: 'Hall', groupTypeFlag: 'DEVICE' });
    const { id } = await assigned(mine);
    const asked = { waitingId: id, deviceName: 'meter' };
    for (const groupId of [theirs, 'Theirs', '1'])
      await expect(propose(mine, { ...asked, groupId })).rejects.toThrow('does not exist');
    await expect(propose(mine, { ...asked, groupId: points })).rejects.toThrow(
      'The group holds entities of type POINT',
    );
    const { actionId } = await propose(mine, { ...asked, groupId: 'Hall' });
    const { session: decider } = await worker(mine, [
      'svc-center-agentic:action:confirm',
      'svc-center-agentic:action:get',
      ...['device', 'profile', 'driver_attribute_config'].map(
        (noun) => `svc-center-manager:${noun}:add`,
      ),
      'svc-center-manager:driver_attribute_config:update',
    ]);
    expect((await confirm(decider, actionId)).status).toBe(403);
    expect(await devicesOf(mine, 'meter')).toEqual([]);
    const body = { id, deviceName: 'meter', groupId: hall };
    const claimed = await mine.data(`${WAITING}/claim`, body);
    const binds = await mine.data(`${MANAGER}/group_bind/list`, { groupId: hall });
    expect(binds).toMatchObject({ records: [{ entityId: claimed }] });
  });

  it('is refused for a group to a caller that may not list groups, whose names the card has', async () => {
    const mine = await world.tenant('onboards-unlisted');
    const groupId = await add(mine, 'group', { groupName: 'Hall 9', groupTypeFlag: 'DEVICE' });
    const { id } = await assigned(mine);
    const body = { waitingId: id, deviceName: 'meter', groupId };
    const rights = ['svc-center-agentic:onboarding:propose', 'svc-center-manager:device:list'];
    const { session: unlisted } = await worker(mine, rights);
    const refused = await unlisted.post(`${AGENTIC}/propose_onboarding`, body);
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain('Hall 9');
    const { session: listing } = await worker(mine, [...rights, 'svc-center-manager:group:list']);
    expect((await listing.post(`${AGENTIC}/propose_onboarding`, body)).status).toBe(200);
  });

  it('is refused in words for what waits no longer, is taken, proved another key, or is not one device', async () => {
    const mine = await world.tenant('onboards-refused');
    const other = await world.tenant('onboards-other');
    const { id } = await assigned(mine);
    const key = await proven(mine);
    const refused = (asked: object, why: string, session = mine) =>
      expect(propose(session, asked)).rejects.toThrow(why);
    await refused({ waitingId: '1', deviceName: 'x' }, 'it was made a device, or was not heard');
    await refused({ waitingId: id, deviceName: 'x' }, 'does not exist', other);
    await refused({ waitingId: id }, 'Give either deviceId or deviceName');
    const both = { waitingId: id, deviceId: key.deviceId, deviceName: 'x' };
    await refused(both, 'Give either deviceId or deviceName');
    await refused({ waitingId: id, deviceName: key.deviceName }, 'device name is already taken');
    await add(mine, 'profile', { profileName: 'press' });
    await refused({ waitingId: id, deviceName: 'press' }, 'A profile has this name already');
    await refused({ waitingId: id, deviceName: 'x', profileId: 'nothing' }, 'nothing');
    await refused({ waitingId: id, deviceName: 'x', profileId: '1' }, 'does not exist');
    await refused({ waitingId: key.id, deviceName: 'x' }, 'proved the key of a device');
    await refused({ waitingId: key.id, profileId: 'press' }, 'the present one keeps its profile');
    // What agents do not see they cannot propose, also in the tenant of the platform.
    const unproven = await waitingEndpoint(world, world.admin);
    await refused({ waitingId: unproven, deviceName: 'x' }, 'does not exist', world.admin);
  });

  it('is confirmed neither once it was taken in otherwise, nor renamed unseen, nor without the right', async () => {
    const mine = await world.tenant('onboards-late');
    const { id, endpoint } = await assigned(mine);
    const first = await propose(mine, { waitingId: id, deviceName: 'a' });
    const second = await propose(mine, { waitingId: id, deviceName: 'b' });
    const { session: decider } = await worker(mine, [
      'svc-center-agentic:action:confirm',
      'svc-center-agentic:action:get',
    ]);
    expect((await confirm(decider, first.actionId)).status).toBe(403);
    expect((await confirm(mine, first.actionId)).status).toBe(200);
    const late = await confirm(mine, second.actionId);
    expect(late.status).toBe(412);
    expect(late.body.message).toContain('no longer allowed: Waiting endpoint does not exist');
    expect(await devicesOf(mine, 'b')).toEqual([]);
    // It is heard again under a name that a device has by now.
    const renamed = await proven(mine);
    const third = await propose(mine, { waitingId: renamed.id });
    await mine.data(`${MANAGER}/device/update`, { id: renamed.deviceId, deviceName: 'c' });
    const again = await confirm(mine, third.actionId);
    expect(again.status).toBe(412);
    expect(again.body.message).toContain('the names of the device, its profile or its driver');
    const taken = { id: renamed.id, deviceId: renamed.deviceId };
    await mine.data(`${WAITING}/claim`, taken);
    expect((await confirm(mine, third.actionId)).status).toBe(412);
    expect((await waitingOf(mine)).map((one) => one.endpoint)).not.toContain(endpoint);
  });
});
