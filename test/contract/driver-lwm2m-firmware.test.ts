import { createHash, randomBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  type Cut,
  type FirmwareFault,
  type FirmwareOptions,
  imageOf,
  newFlash,
} from '../../driver/simulator/firmware.ts';
import { noCounts } from '../../driver/simulator/fleet/counts.ts';
import { createNetwork } from '../../driver/simulator/fleet/network.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openFirmwareUpdate } from '../support/lwm2m/firmware-center.ts';
import { FastClock } from '../support/world/shifted-clock.ts';

const clock = new FastClock(5);
const key = '000102030405060708090a0b0c0d0e0f';
const psk = { identity: 'urn:dev:1', key };
// In clear the driver would first ask the former address of a device that boots again.
const device = driverDevice({ endpoint: 'urn:dev:1', securityMode: 'PSK', pskKey: key }, []);
const image = imageOf('2.0.0', randomBytes(20_000));
const sha256 = createHash('sha256').update(image).digest('hex');

describe('the firmware of a device', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench(clock);
  });
  afterEach(() => bench.close());

  /** Updates a device, which boots again half a second after its power failed. */
  async function updated(firmware: Partial<FirmwareOptions>, version = '2.0.0') {
    const { driver, center } = await bench.serve([device]);
    const flash = newFlash('1.0.0');
    let cuts = 0;
    const boot = (options: FirmwareOptions): Promise<unknown> =>
      bench.simulate(
        driver,
        ({ event }) => {
          if (event !== 'power-cut') return;
          cuts += 1;
          const { cut: _cut, ...rest } = options;
          setTimeout(() => void boot(rest), 500);
        },
        { firmware: options, psk },
      );
    await boot({ flash, installMs: 200, ...firmware });
    await bench.reaches(driver, device, 'ONLINE');
    const update = openFirmwareUpdate(image, { version, clock });
    bench.cleanup(await update.follow(center.bus));
    const { end, message } = await update.ended;
    return { end, message, flash, cuts, reports: update.reports };
  }

  it('is pushed block by block, installed, and verified by what the device runs after its restart', async () => {
    const { end, flash, reports } = await updated({});
    expect(end).toBe('VERIFIED');
    expect(flash).toMatchObject({ version: '2.0.0', sha256 });
    expect([...new Set(reports.map(({ phase }) => phase))]).toEqual([
      'BEGUN',
      'SENDING',
      'DOWNLOADED',
      'UPDATING',
    ]);
    expect(reports.at(-1)).toMatchObject({ versionBefore: '1.0.0', version: '2.0.0', pushes: 1 });
  }, 240_000);

  it.each<[string, Cut, boolean]>([
    ['downloads', 'downloading', false],
    ['has the package', 'downloaded', false],
    ['has the package in memory alone', 'downloaded', true],
    ['installs', 'updating', false],
  ])(
    'comes to its true end where the power fails while the device %s',
    async (_what, cut, isVolatile) => {
      const { end, flash, cuts } = await updated({ cut, isVolatile });
      expect(cuts).toBe(1);
      expect(end).toBe('VERIFIED');
      expect(flash).toMatchObject({ version: '2.0.0', sha256, state: 0, result: 1 });
    },
    240_000,
  );

  it('is as before where the power fails during an installation that the boot loader takes back', async () => {
    const { end, message, flash } = await updated({ cut: 'updating', fault: 'fail' });
    expect(end).toBe('FAILED');
    expect(message).toBe('The device says: the installation failed');
    expect(flash.version).toBe('1.0.0');
  }, 240_000);

  it.each<[string, FirmwareFault, string, string]>([
    [
      'FAILED',
      'bad',
      'of a bad package',
      'The device says: the package did not pass its integrity check',
    ],
    [
      'FAILED',
      'refuse',
      'of one that it has no room for',
      'The device says: it has not enough storage for the package',
    ],
    [
      'FAILED',
      'fail',
      'of one that cannot be installed',
      'The device says: the installation failed',
    ],
    [
      'MISMATCH',
      'lie',
      'that it only says it installed',
      'The device says that it was updated, and runs 1.0.0, as before',
    ],
  ])(
    'ends %s for a fault %s',
    async (expected, fault, _what, said) => {
      const { end, message, flash } = await updated({ fault });
      expect([end, message]).toEqual([expected, said]);
      expect(flash.version).toBe('1.0.0');
    },
    240_000,
  );

  it('arrives byte by byte over DTLS where a tenth of the datagrams is lost', async () => {
    const { driver, center } = await bench.serve([device]);
    const flash = newFlash('1.0.0');
    const lossy = createNetwork(
      { loss: 0.1, latencyMs: 0 },
      { seed: '1', endpoint: 'urn:dev:1', clock, counts: noCounts() },
    );
    await bench.simulate(driver, () => {}, {
      firmware: { flash, installMs: 200 },
      psk,
      network: lossy.attach,
    });
    await bench.reaches(driver, device, 'ONLINE');
    const small = imageOf('2.0.0', randomBytes(8_000));
    const update = openFirmwareUpdate(small, { version: '2.0.0', minutes: 30, clock });
    bench.cleanup(await update.follow(center.bus));
    expect((await update.ended).end).toBe('VERIFIED');
    expect(flash.sha256).toBe(createHash('sha256').update(small).digest('hex'));
  }, 240_000);

  it('is left alone where the device runs the version already', async () => {
    const { end, reports } = await updated({}, '1.0.0');
    expect(end).toBe('VERIFIED');
    expect(reports.at(-1)).toMatchObject({ pushes: 0, executions: 0 });
  });

  it('is gone on with by a driver that was started anew meanwhile', async () => {
    const inClear = driverDevice({ endpoint: 'urn:dev:1' }, []);
    const first = await bench.serve([inClear]);
    const port = first.driver.port();
    const flash = newFlash('1.0.0');
    const large = imageOf('2.0.0', randomBytes(600_000));
    await bench.simulate(first.driver, () => {}, { firmware: { flash, installMs: 200 } });
    await bench.reaches(first.driver, inClear, 'ONLINE');
    const update = openFirmwareUpdate(large, { version: '2.0.0', clock });
    const leave = await update.follow(first.center.bus);
    await vi.waitFor(() => expect(flash.state).toBe(1), 20_000);
    await leave();
    await first.stop();
    expect(flash.state).toBe(1);
    const second = await bench.serve([inClear], port);
    bench.cleanup(await update.follow(second.center.bus));
    const { end, pushes } = await update.ended;
    expect([end, pushes]).toEqual(['VERIFIED', 2]);
    expect(flash.sha256).toBe(createHash('sha256').update(large).digest('hex'));
  }, 120_000);
});
