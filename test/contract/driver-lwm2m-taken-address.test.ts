import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type DriverDevice, DriverFailure } from '../../driver/sdk/driver.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawDevice } from '../support/lwm2m/raw-device.ts';

const deviceOf = (id: string): DriverDevice =>
  driverDevice(
    { endpoint: `urn:dev:${id}` },
    [
      {
        id: `1${id}`,
        code: 'level',
        rw: 'READ_WRITE',
        configs: { objectId: '3308', resourceId: '5900' },
      },
    ],
    id,
  );
const [first, second] = [deviceOf('1'), deviceOf('2')];
const soon = () => Date.now() + 5_000;

/** As behind an address translation that gives the port of one device to the next: in clear nothing else tells them apart. */
describe('an address at which another device registers', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  async function open(port: number, value: string) {
    const asked: string[] = [];
    const raw = await openRawDevice(port, (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.statusCode = request.method === 'PUT' ? '2.04' : '2.05';
      response.end(request.method === 'PUT' ? undefined : value);
    });
    bench.cleanup(() => raw.close());
    const register = async (endpoint: string, root = '/') => {
      const query = [`ep=${endpoint}`, 'lt=600', 'lwm2m=1.0', 'b=U'];
      const below = root === '/' ? '' : root;
      const payload = Buffer.from(`<${root}>;rt="oma.lwm2m",<${below}/3308/0>`);
      const { code } = await raw.post('/rd', { query, format: 40, payload });
      expect(code).toBe('2.01');
    };
    return { asked, register };
  }

  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) =>
        error instanceof DriverFailure ? `${error.code}: ${error.message}` : error,
    );
  const levelOf = (device: DriverDevice) => {
    const [point] = device.points;
    if (!point) throw new Error('no point');
    return point;
  };

  it('is that of the new one alone: the former is not asked there, and not written to', async () => {
    const { driver } = await bench.serve([first, second]);
    const shared = await open(driver.port(), '7');
    await shared.register('urn:dev:1');
    expect(await driver.read(first, levelOf(first), soon())).toMatchObject({ rawValue: '7' });
    await shared.register('urn:dev:2');
    const before = shared.asked.length;
    const gone =
      'DEVICE_OFFLINE: the device is registered, but another device is at its address now';
    expect(await failure(driver.read(first, levelOf(first), soon()))).toBe(gone);
    expect(await failure(driver.write(first, levelOf(first), '9', soon()))).toBe(gone);
    expect(shared.asked).toHaveLength(before);
    expect(await driver.read(second, levelOf(second), soon())).toMatchObject({ rawValue: '7' });
    // It may only be about to speak from where it is now.
    expect(driver.status(first).status).toBe('ONLINE');
    const elsewhere = await open(driver.port(), '8');
    await elsewhere.register('urn:dev:1');
    expect(await driver.read(first, levelOf(first), soon())).toMatchObject({ rawValue: '8' });
  });

  it('is that of both where their objects lie below different paths', async () => {
    const { driver } = await bench.serve([first, second]);
    const gateway = await open(driver.port(), '7');
    await gateway.register('urn:dev:1', '/north');
    await gateway.register('urn:dev:2', '/south');
    await driver.read(first, levelOf(first), soon());
    await driver.read(second, levelOf(second), soon());
    expect(gateway.asked.slice(-2)).toEqual(['GET /north/3308/0/5900', 'GET /south/3308/0/5900']);
  });
});
