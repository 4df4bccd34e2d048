import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { handOut } from '../../src/manager/firmware/task.ts';
import { moveRollouts } from '../../src/manager/firmware/wave.ts';
import {
  configureDevice as configure,
  firmwareAgent,
  firmwareIn,
  type Post,
} from '../support/lwm2m/firmware-actions.ts';
import { firmwarePackage } from '../support/lwm2m/upload-firmware.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const MANAGER = '/api/v3/manager';
const Refused = z.looseObject({ changes: z.array(z.string()) });

const world = startedWorld();
const mine = prepared(() => world.admin);
const fw = prepared(() => firmwareIn(world));

const turn = (mode: string) => mine.data('/api/v3/auth/mcp/switch/set', { mode });

describe('a confirmation of firmware', () => {
  const waiting = async (post?: Post) => {
    const device = await fw.device();
    const { id: packageId } = await fw.package();
    const action = await fw.proposed({ packageId, deviceIds: [device.deviceId] }, post);
    return { device, packageId, action };
  };
  const changesOf = ({ body }: { body: { data?: unknown } }) => Refused.parse(body.data).changes;

  it('makes and begins one roll-out, with the digest of the card', async () => {
    const { action } = await waiting();
    expect((await fw.confirm(action.actionId)).status).toBe(412);
    expect(await fw.rolloutsOf(action.actionId)).toEqual([]);
    const { status } = await fw.confirm(action.actionId, action.digest);
    expect(status).toBe(200);
    const [rollout, ...more] = await fw.rolloutsOf(action.actionId);
    expect(more).toEqual([]);
    expect(await fw.look(action.actionId)).toMatchObject({
      status: 'CONFIRMED',
      firmware: { rolloutId: rollout?.id },
    });
    expect((await fw.confirm(action.actionId, action.digest)).status).toBe(200);
    expect(await fw.rolloutsOf(action.actionId)).toHaveLength(1);
  });

  it('shows a fresh card once the endpoint of a device is that of another', async () => {
    const { action, device } = await waiting();
    const other = await fw.device();
    await configure(other, 'endpoint', fresh('urn:away'), mine);
    await configure(device, 'endpoint', other.endpoint, mine);
    const refused = await fw.confirm(action.actionId, action.digest);
    expect(refused.status).toBe(412);
    expect(changesOf(refused)).toEqual([
      `“${device.deviceName}”: device setting endpoint changed from “${device.endpoint}” to “${other.endpoint}”`,
    ]);
    expect(await fw.rolloutsOf(action.actionId)).toEqual([]);
    const { digest } = await fw.look(action.actionId);
    expect((await fw.confirm(action.actionId, digest)).status).toBe(200);
  });

  it('shows a fresh card once a key changed, without telling it', async () => {
    const device = await fw.device({
      securityMode: 'PSK',
      pskIdentity: 'valve-7',
      pskKey: 'aabbccddaabbccdd',
    });
    const { id: packageId } = await fw.package();
    const action = await fw.proposed({ packageId, deviceIds: [device.deviceId] });
    expect(action.firmware.devices).toMatchObject([{ security: 'PSK', keyIdentity: 'valve-7' }]);
    expect(action.firmware.notes).toEqual([]);
    await configure(device, 'pskKey', 'eeff0011eeff0011', mine);
    const refused = await fw.confirm(action.actionId, action.digest);
    expect(changesOf(refused)).toEqual([`“${device.deviceName}”: device setting pskKey changed`]);
    expect(JSON.stringify(refused.body)).not.toMatch(/aabbccdd|eeff0011/);
  });

  it.each([
    ['another update began', 'is left out now: another update of its firmware is under way'],
    ['the device was disabled', 'is left out now: it is disabled'],
    ['the device was deleted', 'does not exist any more'],
  ])('is refused or fresh once %s', async (what, words) => {
    const { id: packageId } = await fw.package();
    const [device, stays] = [await fw.device(), await fw.device()];
    const { deviceId } = device;
    const action = await fw.proposed({ packageId, deviceIds: [deviceId, stays.deviceId] });
    if (what === 'another update began')
      await mine.data(`${MANAGER}/firmware/rollout/start`, { packageId, deviceIds: [deviceId] });
    else if (what === 'the device was disabled')
      await mine.data(`${MANAGER}/device/update`, { id: deviceId, enableFlag: 'DISABLE' });
    else await mine.post(`${MANAGER}/device/delete`, undefined, { id: deviceId });
    const refused = await fw.confirm(action.actionId, action.digest);
    expect(refused.status).toBe(412);
    expect(changesOf(refused).join()).toContain(words);
  });

  it('is refused once its proposer is disabled', async () => {
    const { post, principalId } = await firmwareAgent(mine);
    const { action } = await waiting(post);
    const { id } = await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .selectFrom('svc_service_account')
        .select('id')
        .where('tenantId', '=', mine.tenantId)
        .where('principalId', '=', principalId)
        .executeTakeFirstOrThrow(),
    );
    await mine.post('/api/v3/auth/service_account/disable', undefined, { id });
    expect(await fw.confirm(action.actionId, action.digest)).toMatchObject({
      status: 412,
      body: { message: expect.stringContaining('proposer') },
    });
    expect(await fw.rolloutsOf(action.actionId)).toEqual([]);
  });

  it('waits while agents only read', async () => {
    const { action } = await waiting();
    await turn('READ_ONLY');
    const { status } = await fw.confirm(action.actionId, action.digest);
    await turn('ON');
    expect(status).toBe(409);
    expect(await fw.rolloutsOf(action.actionId)).toEqual([]);
    expect((await fw.confirm(action.actionId, action.digest)).status).toBe(200);
  });
});

/** Nothing runs by itself: each round of the roll-outs is made by the test. */
describe('a roll-out that was confirmed', () => {
  const confirmed = async (there: World, count: number) => {
    const of = firmwareIn(there);
    const devices = [];
    for (let n = 0; n < count; n += 1) devices.push(await of.device());
    const { id: packageId } = await of.package();
    const deviceIds = devices.map(({ deviceId }) => deviceId);
    const action = await of.proposed({ packageId, deviceIds, waveSize: 1 });
    expect((await of.confirm(action.actionId, action.digest)).status).toBe(200);
    return { devices, look: () => of.look(action.actionId) };
  };
  const inHeldTime = async (work: (there: World) => Promise<void>) => {
    const clock = new HeldClock();
    const there = await startWorld({ clock });
    try {
      clock.hold();
      await work(there);
    } finally {
      await there.stop();
    }
  };

  it('begins no device while a switch holds it, says so, and goes on by itself', () =>
    inHeldTime(async (there) => {
      const { look } = await confirmed(there, 1);
      const reason = 'the burner is serviced';
      await there.admin.data('/api/v3/auth/mcp/switch/set', { mode: 'READ_ONLY', reason });
      await moveRollouts(there.app);
      const held = await look();
      expect(held.firmware.receipt).toMatchObject({
        status: 'RUNNING',
        held: expect.stringContaining(reason),
        counts: { waiting: 1, underWay: 0 },
      });
      expect(held.say).toContain('It is held: ');
      await there.admin.data('/api/v3/auth/mcp/switch/set', { mode: 'ON' });
      await moveRollouts(there.app);
      const begun = await look();
      expect(begun.firmware.receipt?.counts).toMatchObject({ waiting: 0, underWay: 1 });
      expect(begun.say).not.toContain('It is held');
    }));

  it('begins no device that is another than on the card', () =>
    inHeldTime(async (there) => {
      const { devices, look } = await confirmed(there, 3);
      const [one, two, three] = devices;
      if (!one || !two || !three) throw new Error('there are no devices');
      await configure(one, 'endpoint', fresh('urn:moved'), there.admin);
      await there.admin.post(`${MANAGER}/device/delete`, undefined, { id: two.deviceId });
      for (let n = 0; n < 3; n += 1) await moveRollouts(there.app);
      const { say, firmware } = await look();
      expect(firmware.receipt).toMatchObject({
        counts: { waiting: 0, underWay: 1, cancelled: 2 },
        troubled: [
          { deviceId: one.deviceId, message: expect.stringContaining('endpoint changed') },
          { deviceId: two.deviceId, message: expect.stringContaining('deleted') },
        ],
      });
      expect(say).toContain('2 not begun, nothing was sent');
      const updates = await there.admin.data(`${MANAGER}/firmware/rollout/list_devices`, {
        rolloutId: firmware.rolloutId,
      });
      expect(updates).toMatchObject({
        records: [
          { code: 'DEVICE_CHANGED', wave: 0 },
          { code: 'DEVICE_GONE' },
          { code: '', wave: 1 },
        ],
      });
    }));

  it('sends nothing to a device that became another after it began', () =>
    inHeldTime(async (there) => {
      const { devices, look } = await confirmed(there, 1);
      const [device] = devices;
      if (!device) throw new Error('there is no device');
      await moveRollouts(there.app);
      expect((await look()).firmware.receipt?.counts).toMatchObject({ underWay: 1 });
      await configure(device, 'endpoint', fresh('urn:moved'), there.admin);
      await inTenant(there.app.db, there.admin.tenantId, (q) =>
        q
          .updateTable('svc_entity_state')
          .set({ node: 'n1' })
          .where('entityId', '=', device.deviceId)
          .execute(),
      );
      await handOut(there.app);
      await moveRollouts(there.app);
      const ended = await look();
      expect(ended.status).toBe('FAILED');
      expect(ended.say).toContain('nothing was sent');
    }));
});

describe('budgets and addresses', () => {
  it('count over REST as well, and an allowed address says that its bytes are not known', async () => {
    const environment = {
      SVC_AGENT_PRINCIPAL_BUDGET: 'proposals=2',
      SVC_AGENT_FIRMWARE_BY_URI: 'on',
    };
    const second = await startWorld({ environment });
    try {
      const there = firmwareIn(second);
      const { post } = await firmwareAgent(second.admin);
      const { deviceId } = await there.device();
      const uri = 'http://127.0.0.1:9/evil.bin';
      const { id: packageId } = await firmwarePackage(second.admin, new Uint8Array([1]), {
        package_name: 'Fetched',
        package_version: '2.0.0',
        package_uri: uri,
      });
      const body = { packageId, deviceIds: [deviceId] };
      const action = await there.proposed({ ...body, byUri: true }, post);
      expect(action.firmware).toMatchObject({
        sha256: null,
        packageUri: uri,
        notes: [{ code: 'BYTES_UNKNOWN', say: expect.stringContaining(uri) }, { code: 'IN_CLEAR' }],
      });
      await there.proposed(body, post);
      expect(await there.propose({ ...body, waveSize: 3 }, post)).toMatchObject({
        status: 429,
        body: { message: expect.stringContaining('2 of 2 proposals') },
      });
    } finally {
      await second.stop();
    }
  });
});
