import { createHash, randomBytes } from 'node:crypto';

import {
  type Cut,
  type FirmwareFault,
  type FirmwareOptions,
  imageOf,
  newFlash,
} from '../../../../driver/simulator/firmware.ts';
import { noCounts } from '../../../../driver/simulator/fleet/counts.ts';
import { createNetwork } from '../../../../driver/simulator/fleet/network.ts';
import { systemClock as clock } from '../../../../src/kernel/clock.ts';
import { driverDevice } from '../../devices/driver-center.ts';
import { openLwm2mBench } from '../../devices/lwm2m-bench.ts';
import { openFirmwareUpdate } from '../../lwm2m/firmware-center.ts';

const BOOT_MS = 500;
const [BEFORE, AFTER] = ['1.0.0', '2.0.0'];

export type FirmwareTrial = {
  bytes: number;
  loss: number;
  seed: string;
  cut?: Cut | undefined;
  isVolatile?: boolean | undefined;
  fault?: FirmwareFault | undefined;
};
export type FirmwareVerdict = { end: string; cuts: number; seconds: number; wrong: string[] };

/**
 * One update over DTLS by the real driver; a device whose power failed boots again. The end is held against what
 * the device runs: VERIFIED with any other image is wrong, and so is any end of a device that came back but this one.
 */
export async function updateFirmware(trial: FirmwareTrial): Promise<FirmwareVerdict> {
  const { bytes, loss, seed, cut, isVolatile = false, fault } = trial;
  const endpoint = 'urn:dev:1';
  const psk = { identity: endpoint, key: randomBytes(16).toString('hex') };
  const device = driverDevice({ endpoint, securityMode: 'PSK', pskKey: psk.key }, []);
  const image = imageOf(AFTER, randomBytes(bytes - AFTER.length - 1));
  const sha256 = createHash('sha256').update(image).digest('hex');
  const flash = newFlash(BEFORE);
  const network = createNetwork(
    { loss, latencyMs: 0 },
    { seed, endpoint, clock, counts: noCounts() },
  ).attach;
  const bench = await openLwm2mBench();
  try {
    const { driver, center } = await bench.serve([device]);
    let cuts = 0;
    let isOver = false;
    const boot = async (firmware: FirmwareOptions): Promise<void> => {
      await bench.simulate(
        driver,
        ({ event }) => {
          if (event !== 'power-cut') return;
          cuts += 1;
          const { cut: _cut, ...rest } = firmware;
          setTimeout(() => void (isOver || boot(rest)), BOOT_MS);
        },
        { firmware, psk, network },
      );
    };
    await boot({ flash, cut, isVolatile, fault, installMs: 200 });
    await bench.reaches(driver, device, 'ONLINE');
    const began = performance.now();
    const update = openFirmwareUpdate(image, { version: AFTER, minutes: 60 });
    bench.cleanup(await update.follow(center.bus));
    const { end } = await update.ended;
    isOver = true;
    const wrong: string[] = [];
    const right = fault === undefined ? 'VERIFIED' : 'FAILED';
    if (end !== right) wrong.push(`ended ${end}, not ${right}`);
    if (flash.version !== (right === 'VERIFIED' ? AFTER : BEFORE))
      wrong.push(`runs ${flash.version} at the end ${end}`);
    if (right === 'VERIFIED' && flash.sha256 !== sha256) wrong.push('runs other bytes');
    if (cut && cuts !== 1) wrong.push(`its power failed ${cuts} times`);
    return { end: String(end), cuts, seconds: (performance.now() - began) / 1_000, wrong };
  } finally {
    await bench.close();
  }
}
