import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Driver } from '../../driver/sdk/driver.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { type Exchange, openFormatDevice, PAYLOADS } from '../support/formats/device.ts';

const point = {
  id: '1',
  code: 'setPoint',
  type: 'FLOAT',
  rw: 'READ_WRITE',
  configs: { objectId: '3308', resourceId: '5900' },
} as const;
const device = driverDevice({ endpoint: 'urn:dev:1' }, [point]);
const [setPoint] = device.points;
const soon = () => clock.now() + 5_000;

/** Answers in these formats only, as it should. */
const speaking =
  (...formats: number[]) =>
  ({ method, format }: Exchange) => {
    const known = format === null || formats.includes(format);
    if (method === 'GET')
      return known ? { code: '2.05', format: format ?? formats[0] ?? 0 } : { code: '4.06' };
    return { code: known ? '2.04' : '4.15' };
  };

describe('a device on loopback', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  const registered = async (
    answer: Parameters<typeof openFormatDevice>[0],
    of: { version?: string; links?: string } = {},
  ) => {
    const { driver } = await bench.serve([device]);
    const peer = await openFormatDevice(answer);
    bench.cleanup(() => peer.close());
    await peer.register(driver.port(), of);
    await bench.reaches(driver, device, 'ONLINE');
    return { driver, peer };
  };
  const read = async (driver: Driver) => {
    if (!setPoint) throw new Error('no point');
    return (await driver.read(device, setPoint, soon())).rawValue;
  };
  const write = async (driver: Driver, value = '21.5') => {
    if (!setPoint) throw new Error('no point');
    await driver.write(device, setPoint, value, soon());
  };

  it.each([...PAYLOADS.keys()])(
    'that names the format %i is read and written in it at once',
    async (format) => {
      const links = `</>;rt="oma.lwm2m";ct="${format}",</3308/0>`;
      const { driver, peer } = await registered(speaking(format), { links });
      await write(driver);
      expect(peer.sent.map(({ payload }) => payload)).toEqual([PAYLOADS.get(format)]);
      expect(peer.taken()).toEqual([`PUT ${format}`]);
      expect(await read(driver)).toBe('21.5');
      expect(peer.taken()).toEqual([`GET ${format}`]);
    },
  );

  it.each([
    ['1.1', 110, ['GET 110']],
    ['1.1', 112, ['GET 110', 'GET 112']],
    ['1.1', 60, ['GET 110', 'GET 112', 'GET 60']],
    ['1.1', 0, ['GET 110', 'GET 112', 'GET 60', 'GET 0']],
    ['1.1', 11_542, ['GET 110', 'GET 112', 'GET 60', 'GET 0', 'GET 11542']],
    ['1.1', 11_543, ['GET 110', 'GET 112', 'GET 60', 'GET 0', 'GET 11542', 'GET any']],
    ['1.0', 11_542, ['GET 11542']],
    ['1.0', 11_543, ['GET 11542', 'GET 11543']],
    ['1.0', 0, ['GET 11542', 'GET 11543', 'GET 0']],
  ])(
    'of version %s that knows the format %i only is asked for the others once',
    async (version, format, first) => {
      const { driver, peer } = await registered(speaking(format), { version });
      expect(await read(driver)).toBe('21.5');
      expect(peer.taken()).toEqual(first);
      expect(await read(driver)).toBe('21.5');
      expect(peer.taken()).toEqual(first.slice(-1));
    },
  );

  it('is written in the format that it was read in', async () => {
    const { driver, peer } = await registered(speaking(112));
    await read(driver);
    peer.taken();
    await write(driver);
    expect(peer.taken()).toEqual(['PUT 112']);
  });

  it('is written in the next format after 4.15, and from then on in the one that it took', async () => {
    const { driver, peer } = await registered(speaking(60));
    await write(driver);
    expect(peer.taken()).toEqual(['PUT 0', 'PUT 110', 'PUT 112', 'PUT 60']);
    await write(driver);
    expect(peer.taken()).toEqual(['PUT 60']);
    expect(await read(driver)).toBe('21.5');
    expect(peer.taken()).toEqual(['GET 60']);
  });

  it.each([
    ['4.00', 'FAILED'],
    ['4.02', 'FAILED'],
    ['4.05', 'FAILED'],
    ['4.06', 'FAILED'],
    ['5.00', 'UNKNOWN'],
    ['2.05', 'UNKNOWN'],
  ])('that answers a write %s gets it no second time', async (code, outcome) => {
    const { driver, peer } = await registered(() => ({ code }));
    await expect(write(driver)).rejects.toMatchObject({ code: 'DEVICE_REFUSED', outcome });
    expect(peer.taken()).toEqual(['PUT 0']);
  });

  it('that takes no format gets each one once, and the write fails for certain', async () => {
    const { driver, peer } = await registered(() => ({ code: '4.15' }));
    await expect(write(driver)).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
      message: 'the device answered 4.15',
      outcome: 'FAILED',
    });
    expect(peer.taken()).toEqual(['PUT 0', 'PUT 110', 'PUT 112', 'PUT 60', 'PUT 11542']);
  });

  it('that answers in TLV whatever it is asked for is asked and written in TLV', async () => {
    const { driver, peer } = await registered(({ method }) =>
      method === 'GET' ? { code: '2.05', format: 11_542 } : { code: '2.04' },
    );
    expect(await read(driver)).toBe('21.5');
    expect(await read(driver)).toBe('21.5');
    await write(driver);
    expect(peer.taken()).toEqual(['GET 110', 'GET 11542', 'PUT 11542']);
  });

  it('that refuses the option Accept is asked without it from then on', async () => {
    const { driver, peer } = await registered(({ format }) =>
      format === null ? { code: '2.05', format: 0 } : { code: '4.02' },
    );
    expect(await read(driver)).toBe('21.5');
    expect(await read(driver)).toBe('21.5');
    expect(peer.taken()).toEqual(['GET 110', 'GET any', 'GET any']);
  });

  it('that changed its mind is understood in another format', async () => {
    let formats = [112];
    const { driver, peer } = await registered((exchange) => speaking(...formats)(exchange));
    await read(driver);
    formats = [0];
    peer.taken();
    expect(await read(driver)).toBe('21.5');
    expect(peer.taken()).toEqual(['GET 112', 'GET 110', 'GET 60', 'GET 0']);
    expect(await read(driver)).toBe('21.5');
    expect(peer.taken()).toEqual(['GET 0']);
  });

  it('that registers anew begins anew', async () => {
    const { driver, peer } = await registered(speaking(60));
    await read(driver);
    await peer.register(driver.port());
    peer.taken();
    await read(driver);
    expect(peer.taken()).toEqual(['GET 110', 'GET 112', 'GET 60']);
  });
});
