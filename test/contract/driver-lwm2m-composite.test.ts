import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawDevice } from '../support/lwm2m/raw-device.ts';
import { sleeper as device } from '../support/lwm2m/sleeper.ts';

const soon = (): number => Date.now() + 10_000;

describe('the points of a device', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  it('are read in one exchange', async () => {
    const { driver } = await bench.serve([device]);
    const simulated = await bench.simulate(driver);
    await bench.reaches(driver, device, 'ONLINE');
    const readings = await driver.readMany?.(device, device.points, soon());
    expect(readings?.get('2')).toMatchObject({ rawValue: '20' });
    expect(Number(readings?.get('3')?.rawValue)).toBeGreaterThan(10);
    expect(simulated.requests).toMatchObject({ reads: 1, composite: 1 });
  });

  it.each([
    ['1.1', '4.05', 1],
    ['1.1', '5.01', 1],
    ['1.0', '4.05', 0],
  ])(
    'of version %s that answers %s are read one by one, and it is not asked again',
    async (version, code, asked) => {
      const { driver } = await bench.serve([device]);
      let fetches = 0;
      const raw = await openRawDevice(driver.port(), (request, response) => {
        if (request.method === 'FETCH') fetches += 1;
        response.statusCode = request.method === 'FETCH' ? code : '2.05';
        response.end(request.method === 'FETCH' ? undefined : '7');
      });
      bench.cleanup(() => raw.close());
      const query = ['ep=urn:dev:1', 'lt=60', `lwm2m=${version}`, 'b=U'];
      await raw.post('/rd', { query, format: 40, payload: Buffer.from('</3303/0>') });
      expect(await driver.readMany?.(device, device.points, soon())).toEqual(new Map());
      expect(await driver.readMany?.(device, device.points, soon())).toEqual(new Map());
      expect(fetches).toBe(asked);
    },
  );

  it('that the device leaves out are missing, as are those of another kind', async () => {
    const { driver } = await bench.serve([device]);
    const raw = await openRawDevice(driver.port(), (_request, response) => {
      response.setOption('Content-Format', 110);
      response.statusCode = '2.05';
      response.end('[{"n":"/3308/0/5900","vs":"warm"},{"n":"/3308/1/5900","v":3}]');
    });
    bench.cleanup(() => raw.close());
    const query = ['ep=urn:dev:1', 'lt=60', 'lwm2m=1.1', 'b=U'];
    await raw.post('/rd', { query, format: 40, payload: Buffer.from('</3303/0>') });
    expect(await driver.readMany?.(device, device.points, soon())).toEqual(new Map());
  });
});
