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
const key = '000102030405060708090a0b0c0d0e0f';
const other = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
const psk = { identity: 'meter', key };
const secured = { endpoint: 'urn:dev:1', securityMode: 'PSK', pskIdentity: 'meter', pskKey: key };
const device = driverDevice(secured, points);
const [setPoint] = device.points;
if (!setPoint) throw new Error('no point');
const soon = (): number => Date.now() + 10_000;

describe('a device with a pre-shared key', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  it('registers over DTLS, and is read and written there', async () => {
    const { driver } = await bench.serve([device]);
    const simulated = await bench.simulate(driver, () => {}, { psk });
    await bench.reaches(driver, device, 'ONLINE');
    await driver.write(device, setPoint, '22.5', soon());
    expect(simulated.setPoint()).toBe(22.5);
    expect((await driver.read(device, setPoint, soon())).rawValue).toBe('22.5');
    await simulated.stop();
    await bench.reaches(driver, device, 'OFFLINE');
    // Its settings are right: it was served with them.
    expect(driver.status(device).description).toBe(
      'not registered any more: it left, or did not renew its registration in time',
    );
  });

  it('has its endpoint as identity where none is set', async () => {
    const nameless = driverDevice({ ...secured, pskIdentity: '' }, points);
    const { driver } = await bench.serve([nameless]);
    await bench.simulate(driver, () => {}, { psk: { identity: 'urn:dev:1', key } });
    await bench.reaches(driver, nameless, 'ONLINE');
  });

  it('registers without its name, which its key says already', async () => {
    const { driver } = await bench.serve([device]);
    await bench.simulate(driver, () => {}, { psk, endpoint: '' });
    await bench.reaches(driver, device, 'ONLINE');
  });

  it.each([
    ['another key', { identity: 'meter', key: other }],
    ['an unknown identity', { identity: 'stranger', key }],
  ])('gets no answer with %s', async (_what, wrong) => {
    const { driver } = await bench.serve([device]);
    const events: string[] = [];
    await bench.simulate(driver, ({ event }) => events.push(event), { psk: wrong });
    await vi.waitFor(() => expect(events).toContain('unreachable'), 30_000);
    expect(events).not.toContain('registered');
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('is refused under the name of another device', async () => {
    const theirs = driverDevice(
      { endpoint: 'urn:dev:2', securityMode: 'PSK', pskIdentity: 'other', pskKey: other },
      points,
      '2',
    );
    const { driver } = await bench.serve([device, theirs]);
    const refused: string[] = [];
    await bench.simulate(driver, (event) => event.event === 'refused' && refused.push(event.code), {
      endpoint: 'urn:dev:2',
      psk,
    });
    await vi.waitFor(() => expect(refused[0]).toBe('4.03'), 20_000);
    expect(driver.status(theirs).status).toBe('OFFLINE');
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('is reported once when something else comes under its name', async () => {
    const { driver, center } = await bench.serve([device]);
    const refused: string[] = [];
    await bench.simulate(driver, (event) => event.event === 'refused' && refused.push(event.code));
    // It tries again after two seconds.
    await vi.waitFor(() => expect(refused.length).toBeGreaterThan(1), 20_000);
    expect(center.alarms.map(({ entityId, message }) => [entityId, message])).toEqual([
      [
        device.id,
        'a registration as urn:dev:1 from 127.0.0.1 was refused: securityMode is PSK: the device is refused on the clear port',
      ],
    ]);
  });

  it('keeps its registration when its name is claimed on the clear port', async () => {
    const { driver } = await bench.serve([device]);
    const simulated = await bench.simulate(driver, () => {}, { psk });
    await bench.reaches(driver, device, 'ONLINE');
    const refused: string[] = [];
    const thief = await bench.simulate(
      driver,
      (event) => event.event === 'refused' && refused.push(event.code),
    );
    await vi.waitFor(() => expect(refused[0]).toBe('4.03'), 20_000);
    await driver.write(device, setPoint, '19', soon());
    expect([simulated.setPoint(), thief.requests.writes]).toEqual([19, 0]);
  });

  it('has to prove a new key once the key changed', async () => {
    const { driver, center } = await bench.serve([device]);
    await bench.simulate(driver, () => {}, { psk });
    await bench.reaches(driver, device, 'ONLINE');
    const rekeyed = driverDevice({ ...secured, pskKey: other }, points);
    await center.announce(rekeyed);
    await bench.reaches(driver, rekeyed, 'OFFLINE');
    const write = driver.write(rekeyed, setPoint, '22', soon());
    await expect(write).rejects.toMatchObject({ code: 'DEVICE_OFFLINE', outcome: 'FAILED' });
    await bench.simulate(driver, () => {}, { psk: { identity: 'meter', key: other } });
    await bench.reaches(driver, rekeyed, 'ONLINE');
  });

  it('gets another key without being away: both count until the former one is given up', async () => {
    const both = driverDevice({ ...secured, pskNextKey: other }, points);
    const after = driverDevice({ ...secured, pskKey: other }, points);
    const { driver, center } = await bench.serve([device]);
    const [before, next] = [psk, { identity: 'meter', key: other }];
    const former = await bench.simulate(driver, () => {}, { psk: before });
    await bench.reaches(driver, device, 'ONLINE');
    await center.announce(both);
    const says = (one: typeof both, text: string) =>
      vi.waitFor(() => expect(driver.status(one).description).toBe(`registered, LwM2M 1.1${text}`));
    await says(both, ', still with pskKey and not with pskNextKey');
    await driver.write(both, setPoint, '22', soon());
    expect(former.setPoint()).toBe(22);
    former.vanish();
    const renewed = await bench.simulate(driver, () => {}, { psk: next });
    await says(both, ', with pskNextKey, which can become its pskKey now');
    // The session that was opened with the key goes on when that becomes the only one.
    await center.announce(after);
    await says(after, '');
    await driver.write(after, setPoint, '23', soon());
    expect(renewed.setPoint()).toBe(23);
    renewed.vanish();
    const events: string[] = [];
    await bench.simulate(driver, ({ event }) => events.push(event), { psk: before });
    await vi.waitFor(() => expect(events).toContain('unreachable'), 30_000);
    expect(events).not.toContain('registered');
  });

  it('says what is wrong with the key that is to replace its own, and comes with its own', async () => {
    const broken = driverDevice({ ...secured, pskNextKey: 'abcd' }, points);
    const { driver } = await bench.serve([broken]);
    await bench.simulate(driver, () => {}, { psk });
    await bench.reaches(driver, broken, 'ONLINE');
    expect(driver.status(broken).description).toBe(
      'registered, LwM2M 1.1; pskNextKey has 2 bytes instead of 8 to 64',
    );
  });

  it('is known by its key where two devices have one identity', async () => {
    const theirs = driverDevice({ ...secured, endpoint: 'urn:dev:2', pskKey: other }, points, '2');
    const { driver } = await bench.serve([device, theirs]);
    await bench.simulate(driver, () => {}, {
      endpoint: 'urn:dev:2',
      psk: { identity: 'meter', key: other },
    });
    await bench.reaches(driver, theirs, 'ONLINE');
    await bench.simulate(driver, () => {}, { psk });
    await bench.reaches(driver, device, 'ONLINE');
    expect(driver.status(theirs).status).toBe('ONLINE');
  });

  it.each([
    ['pskKey is missing', { pskKey: '' }],
    ['pskKey is not hexadecimal', { pskKey: 'secret words' }],
    ['pskKey has 2 bytes instead of 8 to 64', { pskKey: 'abcd' }],
    ['pskIdentity is longer than 128 bytes', { pskIdentity: 'é'.repeat(65) }],
  ])('says why it cannot come: %s', async (problem, configs) => {
    const broken = driverDevice({ ...secured, ...configs }, points);
    const { driver } = await bench.serve([broken]);
    await vi.waitFor(
      () => expect(driver.status(broken).description).toBe(`not registered: ${problem}`),
      20_000,
    );
  });
});
