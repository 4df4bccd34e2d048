import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';

const points = [
  {
    id: '2',
    code: 'setPoint',
    rw: 'READ_WRITE',
    configs: { objectId: '3308', resourceId: '5900' },
  },
] as const;
const device = driverDevice({ endpoint: 'urn:dev:1' }, points);
const theirs = {
  ...driverDevice({ endpoint: 'urn:dev:1' }, points, '2'),
  tenantId: '2',
  claim: null,
};
const [setPoint] = device.points;
if (!setPoint) throw new Error('no point');

describe('a device on the clear port', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  it('passes to another device with the claim of its name, and registers anew there', async () => {
    const { driver, center } = await bench.serve([device, theirs]);
    const first = await bench.simulate(driver);
    await bench.reaches(driver, device, 'ONLINE');
    await center.announce({ ...theirs, claim: { endpoint: 'urn:dev:1', number: '2' } });
    await bench.reaches(driver, device, 'OFFLINE');
    // The news of the former owner may come late; the newer claim stays.
    await center.announce(device);
    await first.stop();
    await bench.simulate(driver);
    await bench.reaches(driver, theirs, 'ONLINE');
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('with securityMode=PSK is refused on the clear port', async () => {
    const configs = {
      endpoint: 'urn:dev:1',
      securityMode: 'PSK',
      pskIdentity: 'a',
      pskKey: '00'.repeat(16),
    };
    const secured = driverDevice(configs, points);
    const { driver, center } = await bench.serve([secured]);
    const refused: string[] = [];
    const simulated = await bench.simulate(
      driver,
      (event) => event.event === 'refused' && refused.push(event.code),
    );
    await vi.waitFor(() => expect(refused[0]).toBe('4.03'), 20_000);
    expect(driver.status(secured)).toEqual({
      status: 'OFFLINE',
      description: 'not registered: securityMode is PSK: the device has to come over DTLS',
    });
    const write = driver.write(secured, setPoint, '22', Date.now() + 5_000);
    await expect(write).rejects.toMatchObject({ code: 'DEVICE_OFFLINE', outcome: 'FAILED' });
    expect(simulated.requests.writes).toBe(0);
    // Served once it is configured to be clear, and no longer once it is protected again.
    await center.announce(device);
    await bench.reaches(driver, device, 'ONLINE');
    await center.announce(secured);
    await bench.reaches(driver, secured, 'OFFLINE');
  });
});
