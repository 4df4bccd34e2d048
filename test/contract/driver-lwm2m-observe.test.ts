import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';

const key = '000102030405060708090a0b0c0d0e0f';
const setPointOf = (configs: Record<string, string> = {}) =>
  [
    {
      id: '2',
      code: 'setPoint',
      rw: 'READ_WRITE',
      configs: { objectId: '3308', resourceId: '5900', observe: 'true', ...configs },
    },
  ] as const;
const clear = { endpoint: 'urn:dev:1' };
const secure = { ...clear, securityMode: 'PSK', pskIdentity: 'meter', pskKey: key };
const soon = (): number => Date.now() + 10_000;

describe.each([
  ['in clear', clear, {}],
  ['over DTLS', secure, { psk: { identity: 'meter', key } }],
])('an observed point %s', (_how, configs, how) => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  const device = driverDevice(configs, setPointOf());
  const [point] = device.points;
  if (!point) throw new Error('no point');

  it('comes by itself when the device changes it, and is not read', async () => {
    const { driver, center } = await bench.serve([device]);
    const simulated = await bench.simulate(driver, () => {}, how);
    await vi.waitFor(() => expect(simulated.observed()).toBe(1), 20_000);
    const { reads } = simulated.requests;
    await driver.write(device, point, '25', soon());
    const values = () => center.values.map(({ rawValue }) => rawValue);
    await vi.waitFor(() => expect(values()).toEqual(['20', '25']), 5_000);
    expect(simulated.requests.reads).toBe(reads);
    expect(driver.reportedMs?.(device, point)).toBeLessThan(10_000);
  });

  it('is observed anew after the device registered anew', async () => {
    const { driver, center } = await bench.serve([device]);
    const first = await bench.simulate(driver, () => {}, how);
    await vi.waitFor(() => expect(first.observed()).toBe(1), 20_000);
    await first.stop();
    await vi.waitFor(() => expect(driver.reportedMs?.(device, point)).toBeNull(), 20_000);
    const second = await bench.simulate(driver, () => {}, how);
    await vi.waitFor(() => expect(second.observed()).toBe(1), 20_000);
    await driver.write(device, point, '26', soon());
    await vi.waitFor(() => expect(center.values.at(-1)?.rawValue).toBe('26'), 5_000);
  });

  it('is read again once it is no longer to be observed', async () => {
    const { driver, center } = await bench.serve([device]);
    const simulated = await bench.simulate(driver, () => {}, how);
    await vi.waitFor(() => expect(simulated.observed()).toBe(1), 20_000);
    await center.announce(driverDevice(configs, setPointOf({ observe: 'false' })));
    await vi.waitFor(() => expect(simulated.observed()).toBe(0), 20_000);
    expect(driver.reportedMs?.(device, point)).toBeNull();
  });
});

describe('an observed point', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  it('comes at least as often as pmax says', async () => {
    const device = driverDevice(clear, setPointOf({ pmax: '1' }));
    const { driver, center } = await bench.serve([device]);
    await bench.simulate(driver);
    await vi.waitFor(() => expect(center.values.length).toBeGreaterThan(2), 20_000);
    expect(new Set(center.values.map(({ rawValue }) => rawValue))).toEqual(new Set(['20']));
  });

  it.each([
    ['pmax must be at least a second', { pmax: '0' }],
    ['pmax must be at least a second', { pmin: '10', pmax: '5' }],
    ['pmin must be 0 to 86400 seconds', { pmin: 'often' }],
    ['gt must be a number', { gt: '20&lt=10' }],
    ['lt must be below gt', { lt: '10', gt: '12', st: '1' }],
  ])('with attributes that no device takes is not observed: %s', async (_why, configs) => {
    const temperature = { objectId: '3303', resourceId: '5700', observe: 'true' };
    const later = { id: '3', code: 'temperature', configs: temperature };
    const device = driverDevice(clear, [...setPointOf(configs), later]);
    const { driver } = await bench.serve([device]);
    const simulated = await bench.simulate(driver);
    // The points of a device are looked at in their order.
    await vi.waitFor(() => expect(simulated.observed()).toBe(1), 20_000);
    // The device counts an observation when it answers, the driver when the answer arrives.
    await vi.waitFor(
      () =>
        expect(device.points.map((point) => driver.reportedMs?.(device, point) ?? null)).toEqual([
          null,
          expect.any(Number),
        ]),
      20_000,
    );
  });
});
