import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { openRawPeer, type RawPeer } from '../support/devices/udp.ts';
import { bytesOf, type Datagram, Option, parsed } from '../support/lying/coap-datagram.ts';
import { type ObservingDriver, openObservingDriver } from '../support/observe/observing-driver.ts';
import { until } from '../support/world/until.ts';

const deviceOf = (id: string) =>
  driverDevice(
    { endpoint: `urn:dev:${id}` },
    [
      {
        id: `1${id}`,
        code: `level ${id}`,
        configs: { objectId: '3308', resourceId: '5900', observe: 'true' },
      },
    ],
    id,
  );
const [former, other] = [deviceOf('1'), deviceOf('2')];
const LOCATION_PATH = 8;
const [point] = former.points;
if (!point) throw new Error('no point');

/** As behind an address translation that gives the port of one device to the next. */
describe('an observed device that has lost its address to another one', () => {
  let world: ObservingDriver;
  const peers: RawPeer[] = [];
  beforeEach(async () => {
    world = await openObservingDriver();
    world.has(former);
    world.has(other);
  });
  afterEach(async () => {
    for (const peer of peers.splice(0)) await peer.close();
    await world.close();
  });
  const valuesOf = (code: string) =>
    world.reported.flatMap((reading) => (reading.point === code ? [reading.rawValue] : []));
  const reading = () =>
    world
      .driver()
      .read(former, point, world.clock.now() + 5_000)
      .then(
        () => 'read',
        (error: unknown) => (error instanceof Error ? error.message : error),
      );

  it('gets none of what that one reports after it registered', async () => {
    const shared = await world.device();
    expect(await shared.register('urn:dev:1')).toBe('2.01');
    await world.looks(() => expect(valuesOf('level 1')).toEqual(['20']));
    const [first] = shared.taken;
    expect(await shared.register('urn:dev:2')).toBe('2.01');
    await world.looks(() => expect(valuesOf('level 2')).toEqual(['20']));
    shared.say('21', first);
    // The other device learns that this was never its observation.
    await until(() => expect(first?.isOver).toBe(true));
    shared.say('22');
    await until(() => expect(valuesOf('level 2')).toEqual(['20', '22']));
    expect(valuesOf('level 1')).toEqual(['20']);
    const elsewhere = await world.device();
    elsewhere.value = '8';
    expect(await elsewhere.register('urn:dev:1')).toBe('2.01');
    await world.looks(() => expect(valuesOf('level 1')).toEqual(['20', '8']));
  });

  async function newPeer(): Promise<RawPeer> {
    const peer = await openRawPeer();
    peers.push(peer);
    return peer;
  }

  const empty = { token: Buffer.alloc(0), options: [], payload: Buffer.alloc(0) };

  const post = (mid: number, options: Datagram['options']): Buffer =>
    bytesOf({ ...empty, type: 0, code: 0x02, mid, token: Buffer.of(mid), options });

  /** Everything that was sent before is taken. */
  async function taken(peer: RawPeer): Promise<void> {
    const pong = parsed(
      await peer.ask(bytesOf({ ...empty, type: 0, code: 0, mid: 9 }), world.driver().port()),
    );
    expect([pong?.type, pong?.mid]).toEqual([3, 9]);
  }

  /** Registers by hand, and answers the driver's request to observe with the value; that request's token. */
  async function observed(peer: RawPeer, endpoint: string, value: string) {
    const query = [`ep=${endpoint}`, 'lt=3600', 'lwm2m=1.0'];
    const options = [
      [Option.PATH, Buffer.from('rd')] as const,
      ...query.map((part) => [Option.QUERY, Buffer.from(part)] as const),
    ];
    const reply = parsed(await peer.ask(post(1, options), world.driver().port()));
    expect(reply?.code).toBe(0x41);
    const location = (reply?.options ?? []).flatMap(([id, part]) =>
      id === LOCATION_PATH ? [[Option.PATH, part] as const] : [],
    );
    await world.looks(() => expect(peer.received.length).toBeGreaterThan(1));
    for (;;) {
      const asked = parsed(await peer.next());
      if (!asked) throw new Error('no message');
      const isObserve = asked.options.some(([id]) => id === Option.OBSERVE);
      const answer: Datagram = isObserve
        ? { ...notification(asked.token, 1, value), type: 2, mid: asked.mid }
        : { ...empty, type: 2, code: 0x44, mid: asked.mid, token: asked.token };
      await peer.send(bytesOf(answer), world.driver().port());
      if (isObserve) return { token: asked.token, location };
    }
  }

  const notification = (token: Buffer, count: number, value: string): Datagram => ({
    type: 1,
    code: 0x45,
    mid: 1_000 + count,
    token,
    options: [
      [Option.OBSERVE, Buffer.of(count)],
      [Option.FORMAT, Buffer.alloc(0)],
    ],
    payload: Buffer.from(value),
  });

  /** Answers the next request with the value. */
  async function answered(peer: RawPeer, value: string): Promise<void> {
    const asked = parsed(await peer.next());
    if (!asked) throw new Error('no message');
    const answer = { ...notification(asked.token, 0, value), type: 2, mid: asked.mid };
    const options: Datagram['options'] = [[Option.FORMAT, Buffer.alloc(0)]];
    await peer.send(bytesOf({ ...answer, options }), world.driver().port());
  }

  it('is not asked there once that one reports from there, though it has not registered again', async () => {
    const [one, two] = [await newPeer(), await newPeer()];
    const { token: tokenOfOne } = await observed(one, 'urn:dev:1', '1.5');
    const { token: tokenOfTwo } = await observed(two, 'urn:dev:2', '2.5');
    await until(() =>
      expect([valuesOf('level 1'), valuesOf('level 2')]).toEqual([['1.5'], ['2.5']]),
    );
    const port = world.driver().port();
    await one.send(bytesOf(notification(tokenOfTwo, 2, '2.6')), port);
    await taken(one);
    expect(await reading()).toBe(
      'the device is registered, but another device is at its address now',
    );
    await one.send(bytesOf(notification(tokenOfOne, 3, '2.7')), port);
    const reset = parsed(await one.next());
    expect([reset?.type, reset?.mid]).toEqual([3, 1_003]);
    // A value counts from where its device said that it is.
    expect([valuesOf('level 1'), valuesOf('level 2')]).toEqual([['1.5'], ['2.5']]);
    await two.send(bytesOf(notification(tokenOfTwo, 4, '2.8')), port);
    await until(() => expect(valuesOf('level 2')).toEqual(['2.5', '2.8']));
  });

  it("keeps its address where it reports with a token of one that is another device's now", async () => {
    const [before, after] = [await newPeer(), await newPeer()];
    const { token, location } = await observed(before, 'urn:dev:1', '1.5');
    expect(parsed(await after.ask(post(2, location), world.driver().port()))?.code).toBe(0x44);
    const query = ['ep=urn:dev:2', 'lt=3600', 'lwm2m=1.0'];
    const options = [
      [Option.PATH, Buffer.from('rd')] as const,
      ...query.map((part) => [Option.QUERY, Buffer.from(part)] as const),
    ];
    expect(parsed(await before.ask(post(3, options), world.driver().port()))?.code).toBe(0x41);
    await after.send(bytesOf(notification(token, 2, '1.7')), world.driver().port());
    await taken(after);
    const asking = reading();
    await answered(after, '1.9');
    expect(await asking).toBe('read');
  });

  it('is still asked where a device reports with a token of its own former address', async () => {
    const [before, after] = [await newPeer(), await newPeer()];
    const { token, location } = await observed(before, 'urn:dev:1', '1.5');
    const reply = parsed(await after.ask(post(2, location), world.driver().port()));
    expect(reply?.code).toBe(0x44);
    await after.send(bytesOf(notification(token, 2, '1.7')), world.driver().port());
    await taken(after);
    const asking = reading();
    await answered(after, '1.9');
    expect(await asking).toBe('read');
  });
});
