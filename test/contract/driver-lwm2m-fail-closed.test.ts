import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Psk } from '../../driver/simulator/secure-socket.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openToldDevice, type Told } from '../support/lwm2m/told-device.ts';

const NAME = 'urn:dev:1';
const points = [
  {
    id: '1',
    code: 'setPoint',
    rw: 'READ_WRITE',
    configs: { objectId: '3308', resourceId: '5900', observe: 'true' },
  },
] as const;
const keyed = (endpoint: string, tenantId: string, id: string) => {
  const psk = { identity: `device ${id}`, key: id.repeat(32) };
  const secured = { endpoint, securityMode: 'PSK', pskIdentity: psk.identity, pskKey: psk.key };
  const made = driverDevice(secured, points, id);
  const claim = { endpoint, number: id, proven: true };
  return { psk, device: { ...made, tenantId, claim } };
};
const own = keyed(NAME, '1', '1');
const neighbour = keyed('urn:dev:2', '1', '2');
const foreign = keyed('urn:dev:3', '2', '3');
const [setPoint] = own.device.points;
if (!setPoint) throw new Error('no point');
const soon = () => clock.now() + 5_000;

/** Nothing that is not the device with its key is asked, heard or written as that device. */
describe('a device with a key', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  const reads = (value: string) => (told: Told) =>
    told.method === 'GET' ? { code: '2.05', format: 0, payload: value } : { code: '2.04' };

  async function served(devices = [own.device, neighbour.device, foreign.device]) {
    const { driver, center } = await bench.serve(devices);
    const open = async (
      value: string,
      { psk, endpoint = NAME }: { psk?: Psk; endpoint?: string },
    ) => {
      const port = psk ? driver.securePort() : driver.port();
      const device = await openToldDevice(port, reads(value), { endpoint, ...(psk && { psk }) });
      bench.cleanup(() => device.close());
      return device;
    };
    const values = () => center.values.map(({ rawValue }) => rawValue);
    return { driver, center, open, values };
  }

  it.each([
    ['comes on the clear port', undefined, 'lt=60&lwm2m=1.1&b=U', 'is refused on the clear port'],
    [
      'comes there with the binding of an old version',
      undefined,
      'lt=60&b=UQ',
      'on the clear port',
    ],
    ['has the key of another device', neighbour.psk, 'lt=60&lwm2m=1.1&b=U', 'is of another device'],
    [
      "has the key of another tenant's device",
      foreign.psk,
      'lt=60&lwm2m=1.1&b=U',
      'is of another device',
    ],
  ])(
    'is not what has its name and %s: no exchange, no value, one alarm',
    async (_what, psk, query, because) => {
      const { driver, center, open, values } = await served();
      const device = await open('20', { psk: own.psk });
      expect(await device.register()).toBe('2.01');
      await vi.waitFor(() => expect(values()).toEqual(['20']), 20_000);
      const thief = await open('99', psk ? { psk } : {});
      expect(await thief.register(query)).toBe('4.03');
      expect(await thief.register(query)).toBe('4.03');
      await driver.write(own.device, setPoint, '21', soon());
      expect(device.heard().at(-1)).toMatchObject({ method: 'PUT', url: '/3308/0/5900' });
      expect(thief.told).toEqual([]);
      expect(values()).toEqual(['20']);
      expect(center.alarms.map(({ entityId, message }) => [entityId, message])).toEqual([
        [own.device.id, expect.stringContaining(because)],
      ]);
    },
  );

  it.each([
    [
      'gets no session with a key that is none of its own',
      { identity: own.psk.identity, key: 'f'.repeat(32) },
    ],
    [
      'gets no session with its key under the identity of another',
      { identity: foreign.psk.identity, key: own.psk.key },
    ],
  ])('%s: no exchange, no value', async (_what, psk) => {
    const { driver, center, open, values } = await served();
    const thief = await open('99', { psk });
    let isAnswered = false;
    void thief.register().then(() => (isAnswered = true));
    // Time for a handshake several times over.
    const device = await open('20', { psk: own.psk });
    expect(await device.register()).toBe('2.01');
    await vi.waitFor(() => expect(values()).toEqual(['20']), 20_000);
    expect([isAnswered, thief.told, center.alarms]).toEqual([false, [], []]);
    expect(driver.status(own.device).status).toBe('ONLINE');
  });

  it('keeps its transport when an update asks for another one, and its registration when one comes in clear', async () => {
    const { driver, open, values } = await served();
    const device = await open('20', { psk: own.psk });
    await device.register();
    await vi.waitFor(() => expect(values()).toEqual(['20']), 20_000);
    expect(await device.update('b=SQ')).toBe('4.00');
    const thief = await open('99', {});
    expect(await thief.update('lt=1', undefined, device.location())).toBe('4.04');
    expect(await thief.deregister(device.location())).toBe('4.04');
    device.heard();
    await driver.write(own.device, setPoint, '21', soon());
    expect(device.heard()).toHaveLength(1);
    expect([thief.told, values()]).toEqual([[], ['20']]);
  });

  it('lives beside the device of another tenant with its name, each served under its own key', async () => {
    const theirs = keyed(NAME, '2', '4');
    const { driver, center, open } = await served([own.device, theirs.device]);
    const [first, second] = [
      await open('20', { psk: own.psk }),
      await open('30', { psk: theirs.psk }),
    ];
    expect([await first.register(), await second.register()]).toEqual(['2.01', '2.01']);
    await bench.reaches(driver, own.device, 'ONLINE');
    await bench.reaches(driver, theirs.device, 'ONLINE');
    const valuesOf = (id: string) =>
      center.values.filter(({ deviceId }) => deviceId === id).map(({ rawValue }) => rawValue);
    await vi.waitFor(
      () => expect([valuesOf('1'), valuesOf('4')]).toEqual([['20'], ['30']]),
      20_000,
    );
    first.heard();
    second.heard();
    await driver.write(own.device, setPoint, '21', soon());
    await driver.write(theirs.device, setPoint, '31', soon());
    const written = (device: typeof first) =>
      device.heard().map(({ payload }) => payload.toString());
    expect([written(first), written(second)]).toEqual([['21'], ['31']]);
    expect(await second.deregister()).toBe('2.02');
    expect([driver.status(own.device).status, driver.status(theirs.device).status]).toEqual([
      'ONLINE',
      'OFFLINE',
    ]);
    expect(center.alarms).toEqual([]);
  });
});
