import { createHash, randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { FirmwareOptions } from '../../driver/simulator/firmware.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { contentAt } from '../../src/manager/firmware/content.ts';
import {
  begin,
  ended,
  firmwareDevice,
  move,
  packageOf,
  read,
  updatesOf,
} from '../support/lwm2m/rollout.ts';
import { firmwarePackage, uploadFirmware } from '../support/lwm2m/upload-firmware.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const FIRMWARE = '/api/v3/manager/firmware';

const world = startedWorld();
const mine = prepared(() => world.admin);
const theirs = prepared(() => world.tenant('other'));

const named = (more: Record<string, string> = {}) => ({
  package_name: fresh('Valve'),
  package_version: '2.0.0',
  ...more,
});

describe('a package of firmware', () => {
  it('is kept with its digest, piece by piece, and listed for its tenant alone', async () => {
    const bytes = randomBytes(300_000);
    const given = named();
    const kept = await firmwarePackage(mine, bytes, given);
    expect(kept).toMatchObject({
      packageName: given.package_name,
      packageVersion: '2.0.0',
      size: 300_000,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      packageUri: '',
    });
    const key = { tenantId: mine.tenantId, packageId: kept.id };
    const pieces = await inTenant(world.app.db, mine.tenantId, async (q) => [
      await contentAt(q, key, 0),
      await contentAt(q, key, 262_144),
      await contentAt(q, key, 524_288),
    ]);
    expect(Buffer.concat(pieces.filter((piece) => piece !== null)).equals(bytes)).toBe(true);
    const list = (by: Session) =>
      by.data(`${FIRMWARE}/list`, { packageName: given.package_name }).then(Records.parse);
    expect((await list(mine)).records).toHaveLength(1);
    expect((await list(theirs)).records).toHaveLength(0);
    expect(await theirs.post(`${FIRMWARE}/delete`, { id: kept.id })).toMatchObject({ status: 404 });
    expect(await mine.post(`${FIRMWARE}/delete`, { id: kept.id })).toMatchObject({ status: 200 });
    expect((await list(mine)).records).toHaveLength(0);
    expect(await inTenant(world.app.db, mine.tenantId, (q) => contentAt(q, key, 0))).toBeNull();
  });

  it('is refused when it is empty, too large, there already, or badly named', async () => {
    const given = named();
    const refused = async (bytes: Uint8Array<ArrayBuffer>, how: Record<string, string>) =>
      (await uploadFirmware(mine, bytes, how)).status;
    expect(await refused(new Uint8Array(), given)).toBe(400);
    expect(await refused(new Uint8Array(16 * 1024 * 1024 + 1), given)).toBe(413);
    expect(await refused(new Uint8Array([1]), named({ package_uri: 'file:///etc/passwd' }))).toBe(
      400,
    );
    expect(await refused(new Uint8Array([1]), named({ package_version: '' }))).toBe(400);
    await firmwarePackage(mine, new Uint8Array([1]), given);
    expect(await refused(new Uint8Array([1]), given)).toBe(409);
  });
});

describe('a roll-out', () => {
  it('brings the package to its devices in waves, and says of each what it runs', async () => {
    const first = await firmwareDevice(world);
    const more = await Promise.all(
      [1, 2].map(() => firmwareDevice(world, { profileId: first.profileId })),
    );
    const devices = [first, ...more];
    const { id: packageId, sha256 } = await packageOf(world, '2.0.0');
    const { id } = await begin(world, {
      packageId,
      deviceIds: devices.map(({ deviceId }) => deviceId),
      waveSize: 2,
    });
    const done = await ended(world, id);
    expect(done).toMatchObject({ status: 'DONE', wave: 2, total: 3, devices: { VERIFIED: 3 } });
    const { records } = await updatesOf(world, id);
    expect(records.map(({ status, versionNow, wave }) => [status, versionNow, wave])).toEqual([
      ['VERIFIED', '2.0.0', 1],
      ['VERIFIED', '2.0.0', 1],
      ['VERIFIED', '2.0.0', 2],
    ]);
    for (const { flash } of devices) expect(flash).toMatchObject({ version: '2.0.0', sha256 });
    for (const device of devices) await device.stop();
  }, 180_000);

  it('stops by itself once too many of the devices begun have failed, and begins no more', async () => {
    const bad = await firmwareDevice(world, { fault: 'bad' });
    const good = await firmwareDevice(world, { profileId: bad.profileId });
    const last = await firmwareDevice(world, { profileId: bad.profileId });
    const { id: packageId } = await packageOf(world, '2.0.0');
    const deviceIds = [bad, good, last].map(({ deviceId }) => deviceId);
    const { id } = await begin(world, { packageId, deviceIds, waveSize: 2, failurePercent: 50 });
    const stopped = await ended(world, id);
    expect(stopped).toMatchObject({
      status: 'STOPPED',
      why: '1 of the 2 devices begun did not come to the version in time, which is 50 % or more',
      wave: 1,
      devices: { FAILED: 1, VERIFIED: 1, CANCELLED: 1 },
    });
    expect(last.flash).toMatchObject({ version: '1.0.0', sha256: '' });
    for (const device of [bad, good, last]) await device.stop();
  }, 180_000);

  it('is paused, resumed and stopped by a person; a device gets one firmware at a time', async () => {
    const { deviceId, stop } = await firmwareDevice(world);
    await stop();
    const other = await firmwareDevice(world);
    const { id: packageId } = await packageOf(world, '2.0.0');
    const given = { packageId, deviceIds: [deviceId, other.deviceId], waveSize: 1 };
    const { id } = await begin(world, given);
    expect((await mine.post(`${FIRMWARE}/rollout/start`, given)).status).toBe(409);
    expect((await mine.post(`${FIRMWARE}/delete`, { id: packageId })).status).toBe(409);
    expect((await move(world, 'resume', id)).status).toBe(409);
    expect((await move(world, 'pause', id)).status).toBe(200);
    expect((await read(world, id)).status).toBe('PAUSED');
    expect((await move(world, 'resume', id)).status).toBe(200);
    expect((await theirs.post(`${FIRMWARE}/rollout/stop`, { id })).status).toBe(404);
    expect((await move(world, 'stop', id)).status).toBe(200);
    expect(await read(world, id)).toMatchObject({
      status: 'STOPPED',
      why: 'admin stopped it',
    });
    expect((await move(world, 'pause', id)).status).toBe(409);
    await other.stop();
  });

  it('says that nothing was sent to a device that never came', async () => {
    const { deviceId, stop } = await firmwareDevice(world);
    await stop();
    const { id: packageId } = await packageOf(world, '2.0.0');
    const { id } = await begin(world, { packageId, deviceIds: [deviceId], minutes: 1 });
    await eventually(
      () => read(world, id),
      ({ wave }) => wave === 1,
    );
    world.clock.shift(95_000);
    await ended(world, id, 40_000);
    const { records } = await updatesOf(world, id);
    expect(records[0]).toMatchObject({
      status: 'FAILED',
      message: 'The device was not reached in time: nothing was sent to it',
    });
  });

  it.each<[string, Partial<FirmwareOptions>]>([
    ['VERIFIED', {}],
    ['FAILED', { fault: 'fail' }],
  ])(
    'keeps that a device ended UNKNOWN, and that it says %s later',
    async (later, firmware) => {
      const device = await firmwareDevice(world, { ...firmware, deferMs: 12_000 });
      const { deviceId, flash } = device;
      const { id: packageId } = await packageOf(world, '2.0.0');
      const { id } = await begin(world, { packageId, deviceIds: [deviceId], minutes: 1 });
      const update = async () => (await updatesOf(world, id)).records[0];
      await eventually(async () => flash.executed, Boolean);
      await eventually(update, (now) => now?.status === 'UPDATING');
      world.clock.shift(61_000);
      const unknown = await ended(world, id);
      expect(unknown).toMatchObject({ status: 'STOPPED', devices: { UNKNOWN: 1 } });
      expect(await update()).toMatchObject({ status: 'UNKNOWN', endedAs: null, correction: '' });
      const { message, endTime } = (await update()) ?? {};
      await eventually(
        async () => flash.result,
        (result) => result < 10,
        20_000,
      );
      world.clock.shift(61_000);
      const settled = await eventually(update, (now) => now?.status === later, 40_000);
      expect(settled).toMatchObject({ message, endTime, endedAs: 'UNKNOWN' });
      expect(settled?.correction).toMatch(/^The device (runs 2\.0\.0$|says: )/);
      expect(Date.parse(String(settled?.correctedTime))).toBeGreaterThan(
        Date.parse(String(endTime)),
      );
      expect(await read(world, id)).toMatchObject({ status: 'STOPPED', devices: { [later]: 1 } });
      expect(flash.executed).toBe(1);
      await device.stop();
    },
    90_000,
  );

  it('keeps an end without certainty once a later one of the same device has begun', async () => {
    const device = await firmwareDevice(world, { deferMs: 120_000 });
    const { deviceId, flash } = device;
    const { id: packageId } = await packageOf(world, '2.0.0');
    const { id: other } = await packageOf(world, '3.0.0');
    const { id } = await begin(world, { packageId, deviceIds: [deviceId], minutes: 1 });
    await eventually(async () => flash.executed, Boolean);
    await eventually(
      () => read(world, id),
      ({ devices = {} }) => devices['UPDATING'] === 1,
    );
    world.clock.shift(61_000);
    await ended(world, id);
    const next = await begin(world, { packageId: other, deviceIds: [deviceId] });
    await eventually(
      () => read(world, next.id),
      ({ devices = {} }) => devices['BEGUN'] !== 1,
    );
    flash.version = '2.0.0';
    world.clock.shift(61_000);
    const row = () =>
      inTenant(world.app.db, mine.tenantId, (q) =>
        q
          .selectFrom('svc_firmware_update')
          .select(['status', 'nextTime'])
          .where('tenantId', '=', mine.tenantId)
          .where('rolloutId', '=', id)
          .executeTakeFirstOrThrow(),
      );
    expect(await eventually(row, ({ nextTime }) => nextTime === null)).toMatchObject({
      status: 'UNKNOWN',
    });
    await move(world, 'stop', next.id);
    await device.stop();
  });

  it('is refused without devices, for those of another tenant, and without an address to fetch from', async () => {
    const { deviceId, stop } = await firmwareDevice(world);
    await stop();
    const { id: packageId } = await packageOf(world, '2.0.0');
    const status = async (by: Session, input: object) =>
      (await by.post(`${FIRMWARE}/rollout/start`, input)).status;
    expect(await status(mine, { packageId })).toBe(400);
    expect(await status(mine, { packageId, deviceIds: [deviceId], groupId: '1' })).toBe(400);
    expect(await status(mine, { packageId, deviceIds: ['999999'] })).toBe(404);
    expect(await status(theirs, { packageId, deviceIds: [deviceId] })).toBe(404);
    expect(await status(mine, { packageId, deviceIds: [deviceId], byUri: true })).toBe(422);
  });
});
