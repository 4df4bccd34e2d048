import { createHash, randomBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { imageOf, newFlash } from '../../driver/simulator/firmware.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openFirmwareUpdate } from '../support/lwm2m/firmware-center.ts';

const key = '000102030405060708090a0b0c0d0e0f';
const psk = { identity: 'urn:dev:1', key };
const configs = { endpoint: 'urn:dev:1', securityMode: 'PSK', pskKey: key, awakeTime: '1' };
const device = driverDevice(configs, []);
const image = imageOf('2.0.0', randomBytes(20_000));
const sha256 = createHash('sha256').update(image).digest('hex');
const SLEEPS = 'The device sleeps; the update goes on when it wakes';

describe('the firmware of a device in queue mode', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  /** A device that listens for a second after it spoke, asleep, and what the center hands out for it. */
  async function asleep(given: { minutes?: number; mayBegin?: () => boolean } = {}) {
    const { driver, center } = await bench.serve([device]);
    const flash = newFlash('1.0.0');
    const how = { firmware: { flash, installMs: 200 }, psk, queue: { awakeMs: 1_000 } };
    const simulated = await bench.simulate(driver, () => {}, how);
    await bench.reaches(driver, device, 'ONLINE');
    await vi.waitFor(() => {
      expect(driver.sleeper?.(device)?.isAwake).toBe(false);
      expect(simulated.isAsleep()).toBe(true);
    }, 20_000);
    const update = openFirmwareUpdate(image, { version: '2.0.0', ...given });
    bench.cleanup(await update.follow(center.bus));
    const messages = () => update.reports.map(({ message }) => message);
    return { simulated, flash, update, messages };
  }

  it('waits for its wake-up without a request, then goes on to its end by itself', async () => {
    const { simulated, flash, update, messages } = await asleep();
    await vi.waitFor(() => expect(messages().length).toBeGreaterThan(3), 20_000);
    expect(new Set(messages())).toEqual(new Set([SLEEPS]));
    expect(update.reports.every(({ phase, pushes }) => phase === 'BEGUN' && pushes === 0)).toBe(
      true,
    );
    expect(simulated.requests.reads).toBe(0);
    expect(flash.version).toBe('1.0.0');
    simulated.wake();
    expect(await update.ended).toMatchObject({ end: 'VERIFIED', version: '2.0.0' });
    expect(flash).toMatchObject({ version: '2.0.0', sha256 });
  });

  it('is not begun without a yes of the platform when it wakes', async () => {
    let isAllowed = false;
    const refusal =
      'The platform does not let the update begin now, so nothing is sent to the device';
    const { simulated, flash, update, messages } = await asleep({ mayBegin: () => isAllowed });
    await vi.waitFor(() => expect(messages()).toContain(SLEEPS), 20_000);
    simulated.wake();
    await vi.waitFor(() => expect(messages()).toContain(refusal), 20_000);
    expect(flash).toMatchObject({ version: '1.0.0', sha256: '' });
    expect(update.reports.every(({ phase, pushes }) => phase === 'BEGUN' && pushes === 0)).toBe(
      true,
    );
    isAllowed = true;
    simulated.wake();
    expect(await update.ended).toMatchObject({ end: 'VERIFIED', version: '2.0.0' });
  });

  it('is not sent once its time is over', async () => {
    const { simulated, flash, update, messages } = await asleep({ minutes: 0.02 });
    await vi.waitFor(() => expect(messages().length).toBeGreaterThan(3), 20_000);
    simulated.wake();
    expect(await update.ended).toMatchObject({
      end: 'FAILED',
      message: 'The time is over: nothing was sent to the device, and it says that it runs 1.0.0',
      pushes: 0,
    });
    expect(flash.version).toBe('1.0.0');
  });
});
