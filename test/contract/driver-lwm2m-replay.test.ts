import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { DtlsClient } from '../support/devices/dtls-client.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawPeer, type RawPeer, until } from '../support/devices/udp.ts';
import { bytesOf, Option } from '../support/lying/coap-datagram.ts';

const points = [
  {
    id: '2',
    code: 'setPoint',
    rw: 'READ_WRITE',
    configs: { objectId: '3308', resourceId: '5900' },
  },
] as const;
const key = '000102030405060708090a0b0c0d0e0f';
const device = driverDevice(
  { endpoint: 'urn:dev:1', securityMode: 'PSK', pskIdentity: 'meter', pskKey: key },
  points,
);
const [setPoint] = device.points;
if (!setPoint) throw new Error('no point');

const register = bytesOf({
  type: 0,
  code: 2,
  mid: 7,
  token: Buffer.of(1),
  options: [
    [Option.PATH, Buffer.from('rd')],
    [Option.QUERY, Buffer.from('ep=urn:dev:1')],
    [Option.QUERY, Buffer.from('lt=60')],
    [Option.QUERY, Buffer.from('lwm2m=1.1')],
  ],
  payload: Buffer.alloc(0),
});

describe('what a device said over DTLS, said again from another address', () => {
  let bench: Lwm2mBench;
  const peers: RawPeer[] = [];
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(async () => {
    for (const peer of peers.splice(0)) await peer.close();
    await bench.close();
  });

  it.each([
    ['without a connection id', {}],
    ['with a connection id', { cid: Buffer.from('c1d0', 'hex') }],
  ])('opens nothing and moves nothing, %s', async (_what, more) => {
    const { driver, center } = await bench.serve([device]);
    const [own, thief] = [await openRawPeer(), await openRawPeer()];
    peers.push(own, thief);
    const said: Buffer[] = [];
    const say = (bytes: Buffer): Promise<Buffer> => {
      said.push(bytes);
      return own.ask(bytes, driver.securePort());
    };
    const client = new DtlsClient({
      identity: Buffer.from('meter'),
      key: Buffer.from(key, 'hex'),
      ...more,
    });
    const cookie = client.cookieIn(await say(client.hello()));
    const flight = await say(client.hello(cookie));
    expect(client.isProven(await say(Buffer.concat(client.proof(flight))))).toBe(true);
    const created = client.open(await say(client.seal(register)));
    expect(created?.data[1]).toBe(0x41);
    await bench.reaches(driver, device, 'ONLINE');

    for (const bytes of [...said, ...said.toReversed()])
      await thief.send(bytes, driver.securePort());
    // Its hello is met with a cookie for its address; no more is said to it.
    await until(() => thief.received.length >= 2);
    const before = own.received.length;
    const written = driver.write(device, setPoint, '22.5', Date.now() + 3_000);
    await expect(written).rejects.toMatchObject({ outcome: 'UNKNOWN' });
    expect(own.received.length).toBeGreaterThan(before);
    const isApplication = ([type]: Buffer): boolean => type === 23 || type === 25;
    expect(thief.received.filter(isApplication)).toEqual([]);
    expect([center.values, driver.status(device).status]).toEqual([[], 'ONLINE']);
    const bytes = (of: readonly Buffer[]): number => of.reduce((sum, one) => sum + one.length, 0);
    expect(bytes(thief.received)).toBeLessThanOrEqual(3 * bytes(said));
  });
});
