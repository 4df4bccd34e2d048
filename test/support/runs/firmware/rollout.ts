import {
  begin,
  ended,
  type FirmwareDevice,
  firmwareDevice,
  packageOf,
  updatesOf,
} from '../../lwm2m/rollout.ts';
import { startWorld } from '../../world/app.ts';

const WAVE = 20;
const FAILURE_PERCENT = 10;
const WAIT_MS = 180_000;
/** Three of twenty: their packages do not pass the check. */
const isBad = (n: number): boolean => n % 20 < 3;

/** A roll-out to `count` devices of which 15 % are bad: it stops by itself behind its first wave, and the others are as they were. */
export async function rollOutTo(count: number, environment?: Record<string, string>) {
  const world = await startWorld(
    environment ? { database: { environment, remove: async () => {} } } : {},
  );
  const devices: FirmwareDevice[] = [];
  try {
    let profileId: string | undefined;
    for (let n = 0; n < count; n += 1) {
      const fault = isBad(n) ? 'bad' : undefined;
      const device = await firmwareDevice(world, { fault, ...(profileId ? { profileId } : {}) });
      profileId = device.profileId;
      devices.push(device);
    }
    const { id: packageId, sha256 } = await packageOf(world, '2.0.0');
    const deviceIds = devices.map(({ deviceId }) => deviceId);
    const given = { packageId, deviceIds, waveSize: WAVE, failurePercent: FAILURE_PERCENT };
    const { id } = await begin(world, given);
    const rollout = await ended(world, id, WAIT_MS);
    const { records } = await updatesOf(world, id);
    const wrong: string[] = [];
    if (rollout.status !== 'STOPPED') wrong.push(`it ended ${rollout.status}`);
    for (const [n, { deviceId, flash }] of devices.entries()) {
      const right = n < WAVE && !isBad(n) ? '2.0.0' : '1.0.0';
      if (flash.version !== right) wrong.push(`device ${n} runs ${flash.version}, not ${right}`);
      if (right === '2.0.0' && flash.sha256 !== sha256) wrong.push(`device ${n} runs other bytes`);
      if (n >= WAVE && flash.sha256 !== '') wrong.push(`device ${n} got a package`);
      const status = n >= WAVE ? 'CANCELLED' : isBad(n) ? 'FAILED' : 'VERIFIED';
      const told = records.find((record) => record.deviceId === deviceId);
      if (told && told.status !== status) wrong.push(`device ${n} is said ${told.status}`);
    }
    const { status, wave, total, devices: ends } = rollout;
    const facts = `roll-out to ${total} devices, 15 % bad: ${status} behind wave ${wave}, ${JSON.stringify(ends)}`;
    return { facts, wrong };
  } finally {
    await Promise.all(devices.map((device) => device.stop()));
    await world.stop();
  }
}
