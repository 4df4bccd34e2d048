import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawDevice } from '../support/lwm2m/raw-device.ts';
import { sleeper as device } from '../support/lwm2m/sleeper.ts';
import { lineOf, openToldBench, type ToldBench } from '../support/lwm2m/told-bench.ts';
import { bytes, type Said } from '../support/lwm2m/told-device.ts';

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

  it('are read together again after an answer was lost, and one by one after three in a row', async () => {
    const { driver } = await bench.serve([device]);
    let fetches = 0;
    const raw = await openRawDevice(driver.port(), (request, response) => {
      if (request.method === 'FETCH') fetches += 1;
      if (fetches === 1 || fetches > 2) return;
      response.setOption('Content-Format', 110);
      response.statusCode = '2.05';
      response.end('[{"n":"/3308/0/5900","v":20}]');
    });
    bench.cleanup(() => raw.close());
    const query = ['ep=urn:dev:1', 'lt=60', 'lwm2m=1.1', 'b=U'];
    await raw.post('/rd', { query, format: 40, payload: Buffer.from('</3303/0>') });
    const together = () => driver.readMany?.(device, device.points, Date.now() + 300);
    const silent = { code: 'TIMEOUT' };
    await expect(together()).rejects.toMatchObject(silent);
    expect((await together())?.size).toBe(1);
    for (let read = 0; read < 3; read += 1) await expect(together()).rejects.toMatchObject(silent);
    expect(await together()).toEqual(new Map());
    expect(fetches).toBe(5);
  });

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

describe('a composite write of a custom command', () => {
  let world: ToldBench;
  beforeEach(async () => {
    world = await openToldBench();
  });
  afterEach(() => world.close());

  const configs = { operation: 'write-composite', path: '/' };

  it('changes several object instances in one request, and writes none of them alone', async () => {
    let said: Said = { code: '2.04' };
    const { device: told, call } = await world.registered(() => said);
    const value = '{"3308":{"0":{"5900":21.5}},"3311":{"0":{"5850":true,"6":{"1":"x"}}}}';
    await expect(call(configs, { value })).resolves.toEqual({});
    const whole =
      'iPATCH / 110 [{"n":"/3308/0/5900","v":21.5},{"n":"/3311/0/5850","vb":true},{"n":"/3311/0/6/1","vs":"x"}]';
    expect(told.heard().map(lineOf)).toEqual([whole]);
    said = { code: '4.05' };
    await expect(call(configs, { value })).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
      outcome: 'FAILED',
    });
    expect(told.heard().map(lineOf)).toEqual([whole]);
  });

  it('is sent in CBOR where the device takes nothing else', async () => {
    const { device: told, call } = await world.registered(
      ({ format }) => ({ code: format === 112 ? '2.04' : '4.15' }),
      { links: '</lwm2m>;rt="oma.lwm2m";ct=110,</lwm2m/3/0>' },
    );
    const value = '{"0":{"5900":1},"1":{"5900":2}}';
    await call({ ...configs, path: '/3308' }, { value });
    const [json, cbor] = told.heard();
    expect(json).toMatchObject({ method: 'iPATCH', url: '/lwm2m', format: 110 });
    expect(cbor).toMatchObject({ method: 'iPATCH', url: '/lwm2m', format: 112 });
    expect(cbor?.payload).toEqual(
      bytes('82 a2 00 6c 2f333330382f302f35393030 02 01 a2 00 6c 2f333330382f312f35393030 02 02'),
    );
  });

  it('is not sent to a device of 1.0', async () => {
    const { device: told, call } = await world.registered(() => ({ code: '2.04' }), {
      query: 'lt=3600&lwm2m=1.0&b=U',
    });
    await expect(call(configs, { value: '{"3308":{"0":{"5900":21.5}}}' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      outcome: 'FAILED',
    });
    expect(told.heard()).toEqual([]);
  });
});
