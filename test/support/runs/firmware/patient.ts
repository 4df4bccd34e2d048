import { randomBytes } from 'node:crypto';

import { type FirmwareOptions, imageOf, newFlash } from '../../../../driver/simulator/firmware.ts';
import { driverDevice } from '../../devices/driver-center.ts';
import { openLwm2mBench } from '../../devices/lwm2m-bench.ts';
import { openFirmwareUpdate } from '../../lwm2m/firmware-center.ts';
import { FastClock } from '../../world/shifted-clock.ts';

/** The device's time and the driver's run so many times as fast as the test's. */
const TIMES = 10;
const [BEFORE, AFTER] = ['1.0.0', '2.0.0'];
const BOOT_MS = 5_000;
const SLOW_MS = 15_000;
const STALE_FAILURE = 8;

type Ends = 'VERIFIED' | 'FAILED' | 'UNKNOWN' | 'MISMATCH';
export type PatientCase = {
  name: string;
  firmware: Omit<FirmwareOptions, 'flash' | 'download'>;
  /** The device fetches the package; otherwise its bytes are sent. */
  byUri?: true;
  /** Update Result of an earlier update. */
  stale?: number;
  minutes?: number;
  end: Ends;
  /** What the update turns out to be later. */
  later?: Ends;
  /** How often the address may be sent, if more than once. */
  addresses?: number;
};

/** Devices that are slow, restart, put off or say little: each with the one end that is true of it. */
export const patientCases: readonly PatientCase[] = [
  {
    name: 'stays idle after it was given an address',
    byUri: true,
    firmware: { slowMs: { idle: SLOW_MS } },
    end: 'VERIFIED',
  },
  {
    name: 'stays idle after it was sent a package',
    firmware: { slowMs: { idle: SLOW_MS } },
    end: 'VERIFIED',
  },
  {
    name: 'downloads slowly',
    byUri: true,
    firmware: { slowMs: { downloading: SLOW_MS } },
    end: 'VERIFIED',
  },
  {
    name: 'checks slowly what it was sent',
    firmware: { slowMs: { downloading: SLOW_MS } },
    end: 'VERIFIED',
  },
  {
    name: 'is slow to begin to install',
    firmware: { slowMs: { downloaded: SLOW_MS } },
    end: 'VERIFIED',
  },
  { name: 'installs slowly', firmware: { installMs: SLOW_MS }, end: 'VERIFIED' },
  {
    name: 'still says that an earlier update failed',
    byUri: true,
    stale: STALE_FAILURE,
    firmware: { slowMs: { idle: SLOW_MS / 3 }, keepsResult: true },
    end: 'VERIFIED',
  },
  {
    name: 'still says that an earlier update succeeded',
    byUri: true,
    stale: 1,
    firmware: { slowMs: { idle: SLOW_MS / 3 }, keepsResult: true },
    end: 'VERIFIED',
  },
  {
    name: 'fails as it did before, and says nothing new',
    byUri: true,
    stale: STALE_FAILURE,
    firmware: { fault: 'fail', keepsResult: true },
    minutes: 0.5,
    end: 'UNKNOWN',
  },
  { name: 'puts the installation off', firmware: { deferMs: SLOW_MS }, end: 'VERIFIED' },
  {
    name: 'puts the installation off beyond its time',
    firmware: { deferMs: 45_000 },
    minutes: 0.5,
    end: 'UNKNOWN',
    later: 'VERIFIED',
  },
  {
    name: 'begins to install after its time',
    firmware: { slowMs: { downloaded: 45_000 } },
    minutes: 0.5,
    end: 'UNKNOWN',
    later: 'VERIFIED',
  },
  {
    name: 'fails after its time',
    firmware: { fault: 'fail', installMs: 45_000 },
    minutes: 0.5,
    end: 'UNKNOWN',
    later: 'FAILED',
  },
  {
    name: 'gives no answer to the order and begins later',
    firmware: { mute: 'order', slowMs: { downloaded: 45_000 } },
    end: 'VERIFIED',
  },
  {
    name: 'gives no answer to the address and begins later',
    byUri: true,
    firmware: { mute: 'address', slowMs: { idle: 45_000 } },
    end: 'VERIFIED',
  },
  {
    name: 'answers the order with an error and obeys',
    firmware: { orderCode: '5.00', slowMs: { downloaded: SLOW_MS } },
    end: 'VERIFIED',
  },
  { name: 'has no result to read', firmware: { hidesResult: true }, end: 'VERIFIED' },
  {
    name: 'says how it went only after its restart',
    firmware: { fault: 'fail', lateResultMs: SLOW_MS },
    end: 'FAILED',
  },
  {
    name: 'restarts before it fetches, and forgets the address',
    byUri: true,
    firmware: { cut: 'idle' },
    end: 'VERIFIED',
    addresses: 2,
  },
  {
    name: 'restarts while it fetches',
    byUri: true,
    firmware: { cut: 'downloading' },
    end: 'VERIFIED',
    addresses: 2,
  },
  {
    name: 'restarts once it has fetched the package',
    byUri: true,
    firmware: { cut: 'downloaded' },
    end: 'VERIFIED',
  },
  {
    name: 'restarts between the order and the installation',
    firmware: { cut: 'ordered', slowMs: { downloaded: SLOW_MS } },
    end: 'VERIFIED',
  },
  {
    name: 'restarts while it installs, and says nothing for a while',
    firmware: { cut: 'updating', fault: 'fail', lateResultMs: SLOW_MS },
    end: 'FAILED',
  },
  {
    name: 'forgets the order with the package at a restart',
    firmware: { cut: 'ordered', isVolatile: true },
    minutes: 1.5,
    end: 'UNKNOWN',
  },
];

/** What is longer than this lasts beyond the time of its update. */
const LONG_MS = 30_000;

/** The same device with other times, on the same side of the time of its update. */
export function varied(given: PatientCase, random: () => number): PatientCase {
  const vary = (ms: number): number =>
    Math.round(ms * (ms > LONG_MS ? 1 + random() / 2 : 0.2 + random()));
  const { slowMs, installMs, deferMs, lateResultMs } = given.firmware;
  const slow = Object.entries(slowMs ?? {}).map(([state, ms]) => [state, vary(ms)]);
  return {
    ...given,
    firmware: {
      ...given.firmware,
      ...(slowMs && { slowMs: Object.fromEntries(slow) }),
      ...(installMs !== undefined && { installMs: vary(installMs) }),
      ...(deferMs !== undefined && { deferMs: vary(deferMs) }),
      ...(lateResultMs !== undefined && { lateResultMs: vary(lateResultMs) }),
    },
  };
}

export type PatientVerdict = { end: string; later: string | null; wrong: string[] };

/** One update of such a device by the real driver: its end and what it turned out to be, and all that is not right. */
export async function patientUpdate(given: PatientCase): Promise<PatientVerdict> {
  const { firmware, byUri = false, stale = 0, minutes = 10, addresses = 1 } = given;
  const clock = new FastClock(TIMES);
  const endpoint = 'urn:dev:1';
  const psk = { identity: endpoint, key: randomBytes(16).toString('hex') };
  const device = driverDevice({ endpoint, securityMode: 'PSK', pskKey: psk.key }, []);
  const image = imageOf(AFTER, randomBytes(2_000));
  const flash = newFlash(BEFORE, stale);
  const bench = await openLwm2mBench(clock);
  try {
    const { driver, center } = await bench.serve([device]);
    const boot = async (options: FirmwareOptions): Promise<void> => {
      await bench.simulate(
        driver,
        ({ event }) => {
          if (event !== 'power-cut') return;
          const { cut: _cut, ...rest } = options;
          clock.after(BOOT_MS, () => void boot(rest));
        },
        { firmware: options, psk },
      );
    };
    await boot({ installMs: 2_000, ...firmware, flash, download: async () => image });
    await bench.reaches(driver, device, 'ONLINE');
    const uri = byUri ? 'coap://files.example/2.0.0' : '';
    const update = openFirmwareUpdate(image, { version: AFTER, uri, minutes, clock });
    bench.cleanup(await update.follow(center.bus));
    const { end, message } = await update.ended;
    const later = given.later ? (await update.corrected).end : null;
    const wrong: string[] = [];
    if (end !== given.end) wrong.push(`ended ${end} (${message}), not ${given.end}`);
    if (later !== (given.later ?? null)) wrong.push(`is ${later} later, not ${given.later}`);
    const isNew = (later ?? end) === 'VERIFIED';
    if (flash.version !== (isNew ? AFTER : BEFORE)) wrong.push(`runs ${flash.version}`);
    if (flash.executed !== 1) wrong.push(`got the order to install ${flash.executed} times`);
    if (flash.addressed > addresses) wrong.push(`got the address ${flash.addressed} times`);
    return { end: String(end), later, wrong };
  } finally {
    await bench.close();
  }
}
