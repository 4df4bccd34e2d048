import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Quality } from '../../src/bus/topic/topics.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openToldDevice, type Said, type Told } from '../support/lwm2m/told-device.ts';

const key = '000102030405060708090a0b0c0d0e0f';
const points = [
  {
    id: '2',
    code: 'setPoint',
    rw: 'READ_WRITE',
    configs: { objectId: '3308', resourceId: '5900', observe: 'true' },
  },
  {
    id: '3',
    code: 'battery',
    configs: { objectId: '3', resourceId: '9', observe: 'true' },
  },
] as const;
const clear = { endpoint: 'urn:dev:1', observeComposite: 'true' };
const secure = { ...clear, securityMode: 'PSK', pskIdentity: 'meter', pskKey: key };
const soon = (): number => Date.now() + 10_000;
const PACK = '[{"n":"/3308/0/5900","v":20},{"n":"/3/0/9","v":87}]';

describe('the observed points of a device that reports them together', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  const device = driverDevice(clear, points);
  const [setPoint, battery] = device.points;
  if (!setPoint || !battery) throw new Error('no points');

  /** A device that is asked, with the values that came so far by point. */
  async function told(answer: (told: Told) => Said, version = '1.1') {
    const { driver, center } = await bench.serve([device]);
    const asked = await openToldDevice(driver.port(), answer);
    bench.cleanup(() => asked.close());
    await asked.register(`lt=3600&lwm2m=${version}&b=U`);
    const valuesOf = (id: string) =>
      center.values.filter(({ pointId }) => pointId === id).map(({ rawValue }) => rawValue);
    const observes = () =>
      asked.told
        .filter(({ observe }) => observe === 0)
        .map(({ method, url }) => `${method} ${url}`);
    return { driver, center, asked, valuesOf, observes };
  }

  it.each([
    ['in clear', clear, {}],
    ['over DTLS', secure, { psk: { identity: 'meter', key } }],
  ])('come in one observation, %s, also after it registered anew', async (_how, configs, how) => {
    const known = driverDevice(configs, points);
    const [point] = known.points;
    if (!point) throw new Error('no point');
    const { driver, center } = await bench.serve([known]);
    const first = await bench.simulate(driver, () => {}, how);
    const values = () => center.values.map(({ pointId, rawValue }) => `${pointId} ${rawValue}`);
    await vi.waitFor(() => expect(values()).toEqual(['2 20', '3 87']), 20_000);
    expect(first.observed()).toBe(1);
    const { reads } = first.requests;
    await driver.write(known, point, '25', soon());
    await vi.waitFor(() => expect(values().slice(2)).toEqual(['2 25', '3 87']), 5_000);
    expect(first.requests.reads).toBe(reads);
    await first.stop();
    const second = await bench.simulate(driver, () => {}, how);
    await vi.waitFor(() => expect(second.observed()).toBe(1), 20_000);
    await driver.write(known, point, '26', soon());
    await vi.waitFor(() => expect(values()).toContain('2 26'), 5_000);
    expect(second.observed()).toBe(1);
  });

  it.each<[string, (fetched: boolean) => Said]>([
    ['4.04', (fetched) => (fetched ? { code: '4.04' } : null)],
    ['4.05', (fetched) => (fetched ? { code: '4.05' } : null)],
    ['4.00', (fetched) => (fetched ? { code: '4.00' } : null)],
    ['5.01', (fetched) => (fetched ? { code: '5.01' } : null)],
    ['a value instead', (fetched) => (fetched ? { code: '2.05', format: 0, payload: '99' } : null)],
  ])('come one by one where it answers %s, which it is not asked again', async (_what, said) => {
    const { driver, valuesOf, observes } = await told(({ method }) =>
      method === 'PUT'
        ? { code: '2.04' }
        : (said(method === 'FETCH') ?? { code: '2.05', format: 0, payload: '7' }),
    );
    await vi.waitFor(() => {
      expect([valuesOf('2'), valuesOf('3')]).toEqual([['7'], ['7']]);
    }, 20_000);
    await driver.custom?.();
    expect(observes()).toEqual(['FETCH /', 'GET /3308/0/5900', 'GET /3/0/9']);
  });

  it('come one by one from a device of 1.0, which is not asked for several', async () => {
    const { valuesOf, observes } = await told(
      ({ method }) =>
        method === 'PUT' ? { code: '2.04' } : { code: '2.05', format: 0, payload: '7' },
      '1.0',
    );
    await vi.waitFor(() => expect(valuesOf('3')).toEqual(['7']), 20_000);
    expect(observes()).toEqual(['GET /3308/0/5900', 'GET /3/0/9']);
  });

  it.each([
    ['another kind of payload', '99', 0],
    ['SenML that is broken', '[{"n":', 110],
  ])('come one by one once a report has %s, of which no value is taken', async (_what, report) => {
    const { driver, asked, valuesOf, observes } = await told(({ method, url }) => {
      if (method === 'PUT') return { code: '2.04' };
      if (method === 'FETCH') return { code: '2.05', format: 110, payload: PACK };
      return { code: '2.05', format: 0, payload: url.startsWith('/3308') ? '21' : '88' };
    });
    await vi.waitFor(() => expect(valuesOf('3')).toEqual(['87']), 20_000);
    asked.say(report);
    await vi.waitFor(async () => {
      await driver.custom?.();
      expect([valuesOf('2'), valuesOf('3')]).toEqual([
        ['20', '21'],
        ['87', '88'],
      ]);
    }, 20_000);
    expect(observes()).toEqual(['FETCH /', 'GET /3308/0/5900', 'GET /3/0/9']);
  });

  it('take a value of another kind for no value, and the others with it', async () => {
    const { driver, center } = await told(({ method }) =>
      method === 'PUT'
        ? { code: '2.04' }
        : {
            code: '2.05',
            format: 110,
            payload: '[{"n":"/3308/0/5900","vs":"warm"},{"n":"/3/0/9","v":87}]',
          },
    );
    await vi.waitFor(() => expect(center.values).toHaveLength(2), 20_000);
    expect(center.values).toMatchObject([
      { pointId: '2', quality: Quality.BAD },
      { pointId: '3', rawValue: '87' },
    ]);
    expect(driver.reportedMs?.(device, setPoint)).toBeNull();
    expect(driver.reportedMs?.(device, battery)).toBeLessThan(10_000);
  });

  it('stay observed while one of them is not to be any more', async () => {
    const { driver, center, asked, valuesOf } = await told(({ method }) =>
      method === 'PUT' ? { code: '2.04' } : { code: '2.05', format: 110, payload: PACK },
    );
    await vi.waitFor(() => expect(valuesOf('3')).toEqual(['87']), 20_000);
    const [, still] = points;
    await center.announce(driverDevice(clear, [still]));
    await vi.waitFor(async () => {
      await driver.custom?.();
      expect(driver.reportedMs?.(device, setPoint)).toBeNull();
    }, 20_000);
    asked.say('[{"n":"/3308/0/5900","v":30},{"n":"/3/0/9","v":60}]');
    await vi.waitFor(() => expect(valuesOf('3')).toEqual(['87', '60']), 20_000);
    expect(valuesOf('2')).toEqual(['20']);
    expect(asked.told.some(({ observe }) => observe === 1)).toBe(false);
  });
});
