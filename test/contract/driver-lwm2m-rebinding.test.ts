import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { DtlsClient } from '../support/devices/dtls-client.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawPeer, type RawPeer, until } from '../support/devices/udp.ts';
import { bytesOf, type Datagram, Option, parsed } from '../support/lying/coap-datagram.ts';

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
const [POST, PUT, CREATED, CHANGED] = [0x02, 0x03, 0x41, 0x44];
const LOCATION_PATH = 8;
const MOVES = 4;

const post = (mid: number, path: readonly string[], query: readonly string[] = []): Buffer =>
  bytesOf({
    type: 0,
    code: POST,
    mid,
    token: Buffer.of(mid),
    options: [
      ...path.map((part) => [Option.PATH, Buffer.from(part)] as const),
      ...query.map((part) => [Option.QUERY, Buffer.from(part)] as const),
    ],
    payload: Buffer.alloc(0),
  });

describe('a device over DTLS whose address changes with every message', () => {
  let bench: Lwm2mBench;
  const peers: RawPeer[] = [];
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(async () => {
    for (const peer of peers.splice(0)) await peer.close();
    await bench.close();
  });
  const newPeer = async (): Promise<RawPeer> => {
    const peer = await openRawPeer();
    peers.push(peer);
    return peer;
  };

  /** The registered device at its first address. */
  async function registered(cid?: Buffer) {
    const { driver } = await bench.serve([device]);
    const own = await newPeer();
    const port = driver.securePort();
    const keys = { identity: Buffer.from('meter'), key: Buffer.from(key, 'hex') };
    const client = new DtlsClient(cid ? { ...keys, cid } : keys);
    const cookie = client.cookieIn(await own.ask(client.hello(), port));
    const flight = await own.ask(client.hello(cookie), port);
    expect(client.isProven(await own.ask(Buffer.concat(client.proof(flight)), port))).toBe(true);
    const query = ['ep=urn:dev:1', 'lt=60', 'lwm2m=1.1'];
    const reply = told(client, await own.ask(client.seal(post(1, ['rd'], query)), port));
    expect(reply.code).toBe(CREATED);
    await bench.reaches(driver, device, 'ONLINE');
    const location = reply.options
      .filter(([id]) => id === LOCATION_PATH)
      .map(([, part]) => String(part));
    return { driver, client, port, location };
  }

  function told(client: DtlsClient, record: Buffer): Datagram {
    const message = parsed(client.open(record)?.data ?? Buffer.alloc(0));
    if (!message) throw new Error('no message');
    return message;
  }

  it('is updated and written there with connection ids, without another handshake', async () => {
    const { driver, client, port, location } = await registered(Buffer.from('c1d0', 'hex'));
    for (let move = 2; move < 2 + MOVES; move += 1) {
      const peer = await newPeer();
      const reply = told(client, await peer.ask(client.seal(post(move, location)), port));
      expect(reply.code).toBe(CHANGED);
      const writing = driver.write(device, setPoint, '22.5', Date.now() + 10_000);
      const { code, mid, token, payload } = told(client, await peer.next());
      expect([code, payload.toString()]).toEqual([PUT, '22.5']);
      const changed = { type: 2, code: CHANGED, mid, token, options: [], payload: Buffer.alloc(0) };
      await peer.send(client.seal(bytesOf(changed)), port);
      await writing;
      // Nothing but records with its connection id came: no handshake.
      expect(peer.received.map(([type]) => type)).toEqual([25, 25]);
    }
  });

  it('is not followed without connection ids: nothing is sent to the other address', async () => {
    const { driver, client, port, location } = await registered();
    const peer = await newPeer();
    await peer.send(client.seal(post(2, location)), port);
    const write = driver.write(device, setPoint, '22.5', Date.now() + 1_000);
    await expect(write).rejects.toMatchObject({ outcome: 'UNKNOWN' });
    const [own] = peers;
    await until(() => (own?.received.length ?? 0) > 4);
    expect(peer.received).toEqual([]);
  });
});
