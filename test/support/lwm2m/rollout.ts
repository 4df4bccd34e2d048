import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import { startDevice } from '../../../driver/simulator/device.ts';
import {
  type FirmwareOptions,
  type Flash,
  imageOf,
  newFlash,
} from '../../../driver/simulator/firmware.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { lwm2mDevice } from './device.ts';
import { firmwarePackage } from './upload-firmware.ts';

const FIRMWARE = '/api/v3/manager/firmware';
const Rollout = z.looseObject({
  id: z.string(),
  status: z.string(),
  why: z.string(),
  wave: z.number(),
  total: z.number(),
  devices: z.record(z.string(), z.number()).optional(),
});
const Updates = z.object({
  total: z.number(),
  records: z.array(
    z.looseObject({
      deviceId: z.string(),
      status: z.string(),
      message: z.string(),
      versionNow: z.string().nullable(),
      wave: z.number(),
      endTime: z.string().nullable(),
      endedAs: z.string().nullable(),
      correction: z.string(),
      correctedTime: z.string().nullable(),
    }),
  ),
});

export type FirmwareDevice = { deviceId: string; flash: Flash; stop(): Promise<void> };

/** A simulated device with object 5, added to the platform and registered; it boots again after its power failed. */
export async function firmwareDevice(
  world: World,
  { profileId: wanted, ...given }: Partial<FirmwareOptions> & { profileId?: string } = {},
): Promise<FirmwareDevice & { profileId: string }> {
  const endpoint = fresh('urn:fw');
  const { deviceId, profileId } = await lwm2mDevice(world.admin, { endpoint }, wanted);
  const flash = newFlash('1.0.0');
  let running: { stop(): Promise<void> } | null = null;
  let isOver = false;
  const boot = async (firmware: FirmwareOptions): Promise<void> => {
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    const booted = await startDevice({
      endpoint,
      server,
      lifetimeS: 3600,
      log: createLog('silent'),
      clock: systemClock,
      firmware,
      patienceMs: 500,
      onEvent({ event }) {
        if (event !== 'power-cut' || isOver) return;
        const { cut: _cut, ...rest } = firmware;
        setTimeout(() => void boot(rest), 500);
      },
    });
    running = booted;
    if (isOver) await booted.stop();
  };
  await boot({ installMs: 100, ...given, flash });
  return {
    deviceId,
    profileId,
    flash,
    async stop() {
      isOver = true;
      await running?.stop();
    },
  };
}

/** A small package that brings this version. */
export function packageOf(world: Pick<World, 'admin'>, version: string, bytes = 3_000) {
  const image = Buffer.from(imageOf(version, randomBytes(bytes)));
  return firmwarePackage(world.admin, image, {
    package_name: fresh('Valve'),
    package_version: version,
  });
}

export const begin = async (world: World, input: object) =>
  Rollout.parse(await world.admin.data(`${FIRMWARE}/rollout/start`, input));
export const read = async (world: World, id: string) =>
  Rollout.parse(await world.admin.data(`${FIRMWARE}/rollout/get_by_id`, undefined, { id }));
export const move = (world: World, how: string, id: string) =>
  world.admin.post(`${FIRMWARE}/rollout/${how}`, { id });
export const updatesOf = async (world: World, rolloutId: string) =>
  Updates.parse(
    await world.admin.data(`${FIRMWARE}/rollout/list_devices`, {
      rolloutId,
      page: { current: 1, size: 100 },
    }),
  );

/** The roll-out once it and all devices that it has begun have ended. */
export const ended = (world: World, id: string, timeoutMs = 120_000) =>
  eventually(
    () => read(world, id),
    ({ status, devices = {} }) =>
      /STOPPED|DONE|REJECTED/.test(status) &&
      ['BEGUN', 'SENDING', 'DOWNLOADED', 'UPDATING'].every((open) => (devices[open] ?? 0) === 0),
    timeoutMs,
  );
