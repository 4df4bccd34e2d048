import { afterAll, beforeAll, expect, it } from 'vitest';

import {
  begin,
  ended,
  type FirmwareDevice,
  firmwareDevice,
  packageOf,
} from '../support/lwm2m/rollout.ts';
import { startWorld, type World } from '../support/world/app.ts';

const DEVICES = 200;
const WAVE = 20;
/** Three of twenty: their packages do not pass the check. */
const isBad = (n: number): boolean => n % 20 < 3;

let world: World;
const devices: FirmwareDevice[] = [];
beforeAll(async () => {
  world = await startWorld();
  const first = await firmwareDevice(world, { fault: 'bad' });
  devices.push(first);
  for (let n = 1; n < DEVICES; n += 1) {
    const fault = isBad(n) ? 'bad' : undefined;
    devices.push(await firmwareDevice(world, { profileId: first.profileId, fault }));
  }
}, 240_000);
afterAll(async () => {
  await Promise.all(devices.map((device) => device.stop()));
  await world?.stop();
}, 60_000);

it('stops a roll-out to 200 devices of which 15 % are bad by itself, and leaves the others as they are', async () => {
  const { id: packageId, sha256 } = await packageOf(world, '2.0.0');
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const given = { packageId, deviceIds, waveSize: WAVE, failurePercent: 10 };
  const { id } = await begin(world, given);
  expect(await ended(world, id, 180_000)).toMatchObject({
    status: 'STOPPED',
    wave: 1,
    total: DEVICES,
    devices: { VERIFIED: 17, FAILED: 3, UNKNOWN: 0, CANCELLED: DEVICES - WAVE },
  });
  const updated = devices.filter(({ flash }) => flash.version === '2.0.0');
  expect(updated).toHaveLength(17);
  expect(updated.every(({ flash }) => flash.sha256 === sha256)).toBe(true);
  expect(devices.slice(WAVE).every(({ flash }) => flash.sha256 === '')).toBe(true);
}, 240_000);
