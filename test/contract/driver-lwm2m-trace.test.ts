import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { TracedExchange } from '../../driver/sdk/driver.ts';
import { bootstrap } from '../../driver/simulator/bootstrap.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { bytes, openToldDevice, type Said, type Told } from '../support/lwm2m/told-device.ts';

const TLV = 11_542;
const SENML = 110;
const point = (id: string, type: 'DOUBLE' | 'STRING', configs: Record<string, string>) => ({
  id,
  code: `p${id}`,
  type,
  rw: 'READ_WRITE' as const,
  configs,
});
const device = driverDevice({ endpoint: 'urn:dev:1' }, [
  point('1', 'DOUBLE', { objectId: '3303', resourceId: '5700' }),
  point('2', 'DOUBLE', { objectId: '3308', resourceId: '5900' }),
]);
const pointAt = (index: number) => {
  const found = device.points[index];
  if (!found) throw new Error(`no point ${index}`);
  return found;
};
const [sensor, target] = [pointAt(0), pointAt(1)];
const soon = (ms = 5_000) => clock.now() + ms;

/** docs/specification/lwm2m.md, Trace. */
describe('the trace of a device', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  async function registered(answer: (told: Told) => Said, links?: string, of = device) {
    const { driver } = await bench.serve([of]);
    const told = await openToldDevice(driver.port(), answer);
    bench.cleanup(() => told.close());
    await told.register('lt=60&lwm2m=1.1&b=U', links);
    await bench.reaches(driver, of, 'ONLINE');
    const call = async (configs: Record<string, string>, params = {}) =>
      driver.call?.(of, { id: '7', code: 'do', configs }, params, soon());
    const traced = (): readonly TracedExchange[] => driver.trace?.(of).exchanges ?? [];
    return {
      driver,
      told,
      call,
      traced,
      only: (operation: string) => traced().filter((one) => one.operation === operation),
    };
  }

  it('has each exchange decoded: operation, path, codes, sizes and values', async () => {
    const { driver, call, traced } = await registered(
      ({ method }) =>
        method === 'GET'
          ? {
              code: '2.05',
              format: TLV,
              payload: bytes('e8164408 4035800000000000'),
            }
          : { code: '2.04' },
      '</>;rt="oma.lwm2m";ct=11542,</1/0>,</3303/0>',
    );
    await driver.read(device, sensor, soon());
    await driver.write(device, target, '19.5', soon());
    await call({ operation: 'execute', path: '/3/0/4' });
    expect(traced()).toMatchObject([
      {
        from: 'DEVICE',
        operation: 'REGISTER',
        path: '/rd',
        query: 'ep=urn:dev:1&lt=60&lwm2m=1.1&b=U',
        code: '2.01',
        secure: false,
        request: { format: 'LINK', text: '</>;rt="oma.lwm2m";ct=11542,</1/0>,</3303/0>' },
      },
      {
        from: 'PLATFORM',
        operation: 'READ',
        method: 'GET',
        path: '/3303/0/5700',
        request: null,
        code: '2.05',
        failure: '',
        sent: 1,
        repeated: 0,
        answer: { format: 'TLV', bytes: 12, values: [{ path: '/3303/0/5700', value: '21.5' }] },
      },
      {
        operation: 'WRITE',
        path: '/3308/0/5900',
        code: '2.04',
        request: { values: [{ path: '/3308/0/5900', value: '19.5' }] },
      },
      { operation: 'EXECUTE', method: 'POST', path: '/3/0/4', code: '2.04' },
    ]);
  });

  it('marks bytes whose type nothing says', async () => {
    const answer = { code: '2.05', format: TLV, payload: bytes('c100 41') };
    const { call, only } = await registered(() => answer);
    await call({ operation: 'read', path: '/3/0' });
    expect(only('READ')).toMatchObject([
      { answer: { values: [{ path: '/3/0/0', value: '0x41', untyped: true }] } },
    ]);
  });

  it('says what was sent again, and that no answer came', async () => {
    const { driver } = await bench.serve([device]);
    const simulated = await bench.simulate(driver);
    await bench.reaches(driver, device, 'ONLINE');
    simulated.vanish();
    await expect(driver.write(device, target, '19.5', soon(3_500))).rejects.toThrow('in time');
    expect(driver.trace?.(device).exchanges.at(-1)).toMatchObject({
      operation: 'WRITE',
      code: '',
      failure: 'timeout-before-ack',
      sent: 2,
      repeated: 1,
      answer: null,
    });
  });

  it('has an exchange that is not answered yet', async () => {
    const { driver, only } = await registered(() => null);
    const writing = driver.write(device, target, '19.5', soon(1_500)).catch(() => null);
    await vi.waitFor(() =>
      expect(only('WRITE')).toMatchObject([{ ms: null, code: '', failure: '' }]),
    );
    await writing;
  });

  it('has what the device reports by itself', async () => {
    const observed = driverDevice({ endpoint: 'urn:dev:1' }, [
      point('1', 'DOUBLE', { objectId: '3303', resourceId: '5700', observe: 'true' }),
    ]);
    const { told, only } = await registered(
      ({ method, observe }) =>
        method === 'GET' && observe === 0
          ? { code: '2.05', format: 0, payload: '20' }
          : { code: '2.04' },
      undefined,
      observed,
    );
    await vi.waitFor(() => expect(told.taken.length).toBeGreaterThan(0), 10_000);
    told.say('21.25');
    await vi.waitFor(() =>
      expect(only('NOTIFY')).toMatchObject([
        { path: '/3303/0/5700', request: { values: [{ path: '/3303/0/5700', value: '21.25' }] } },
      ]),
    );
    expect(only('OBSERVE')).toMatchObject([{ path: '/3303/0/5700', code: '2.05' }]);
  });

  it('hides keys: those of object 0 in whatever format, and what a bootstrap writes', async () => {
    const SECRET = 'very-secret-key';
    const { call, traced } = await registered(({ url }) => ({
      code: '2.05',
      format: SENML,
      payload: JSON.stringify([
        {
          bn: url.startsWith('/0') ? '/0/0/' : '/12/0/',
          n: url.startsWith('/0') ? '5' : '18',
          vs: SECRET,
        },
      ]),
    }));
    await call({ operation: 'read', path: '/0/0' });
    await call({ operation: 'read', path: '/12/0' });
    expect(traced().slice(1)).toMatchObject([
      { path: '/0/0', answer: { values: [], note: 'hidden: it may be a secret' } },
      { path: '/12/0', answer: { values: [{ value: 'hidden: it may be a secret' }] } },
    ]);
    expect(JSON.stringify(traced())).not.toContain(SECRET);
  });

  it('of a bootstrap has no key', async () => {
    const psk = '000102030405060708090a0b0c0d0e0f';
    const factory = { identity: 'factory-7', key: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff' };
    const own = driverDevice(
      {
        endpoint: 'urn:dev:1',
        securityMode: 'PSK',
        pskIdentity: 'meter',
        pskKey: psk,
        factoryIdentity: factory.identity,
        factoryKey: factory.key,
        serverUri: 'coaps://platform.example:5684',
      },
      [],
    );
    const { driver } = await bench.serve([own]);
    const server = { host: '127.0.0.1', port: driver.securePort() };
    await bootstrap({ endpoint: 'urn:dev:1', server, factory });
    const trace = driver.trace?.(own).exchanges ?? [];
    expect(trace.map(({ operation, path, secure }) => `${operation} ${path} ${secure}`)).toEqual(
      expect.arrayContaining([
        'BOOTSTRAP /bs true',
        'WRITE /0/1 true',
        'BOOTSTRAP_FINISH /bs true',
      ]),
    );
    const written = JSON.stringify(trace);
    const raw = Buffer.from(psk, 'hex');
    for (const form of ['hex', 'base64', 'latin1'] as const)
      expect(written).not.toContain(JSON.stringify(raw.toString(form)).slice(1, -1));
  });

  it('counts what is refused under its name', async () => {
    const own = driverDevice(
      { endpoint: 'urn:dev:1', securityMode: 'PSK', pskKey: '00'.repeat(16) },
      [],
    );
    const { driver } = await bench.serve([own]);
    const told = await openToldDevice(driver.port(), () => null);
    bench.cleanup(() => told.close());
    expect(await told.register()).toBe('4.03');
    expect(await told.register()).toBe('4.03');
    expect(driver.trace?.(own).exchanges).toMatchObject([
      { from: 'DEVICE', operation: 'REGISTER', code: '4.03', times: 2, secure: false },
    ]);
  });

  it('does not lose the last write to reads without end, and is forgotten with its device', async () => {
    const { driver, only } = await registered(({ method }) =>
      method === 'GET' ? { code: '2.05', format: 0, payload: '1' } : { code: '2.04' },
    );
    await driver.write(device, target, '19.5', soon());
    for (let n = 0; n < 30; n += 1) await driver.read(device, sensor, soon());
    expect(only('READ')).toHaveLength(20);
    expect(only('WRITE')).toHaveLength(1);
    expect(driver.trace?.(device).dropped).toBe(10);
    driver.deviceRemoved?.(device);
    expect(driver.trace?.(device).exchanges).toEqual([]);
  });
});
