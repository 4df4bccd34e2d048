import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Code } from '../../driver/coap/endpoint.ts';
import { type Counts, noCounts } from '../../driver/simulator/fleet/counts.ts';
import type { Chances } from '../../driver/simulator/fleet/fault.ts';
import { startFleet } from '../../driver/simulator/fleet/fleet.ts';
import { type Member, startMember } from '../../driver/simulator/fleet/member.ts';
import { createNetwork } from '../../driver/simulator/fleet/network.ts';
import { openTestedEndpoint, type TestedEndpoint } from '../support/devices/coap.ts';
import { TestClock } from '../support/world/clock.ts';
import { until } from '../support/world/until.ts';

const NONE: Chances = {
  stuck: 0,
  'lie-ack': 0,
  reboot: 0,
  storm: 0,
  clock: 0,
  rebind: 0,
  outage: 0,
};
const TEMPERATURE = ['3303', '0', '5700'];
const SET_POINT = ['3308', '0', '5900'];
const SENML_JSON = 110;

let clock: TestClock;
let server: TestedEndpoint;
let counts: Counts;
let member: Member | null;
beforeEach(async () => {
  clock = new TestClock();
  counts = noCounts();
  member = null;
  server = await openTestedEndpoint({
    handler: async ({ method, path }) => {
      if (method === 'DELETE') return { code: Code.DELETED };
      return path.length === 1
        ? { code: Code.CREATED, locationPath: ['rd', 'a1'] }
        : { code: Code.CHANGED };
    },
  });
});
afterEach(async () => {
  await member?.stop();
  await server.close();
});

const optionsOf = (given: Partial<Chances>) => ({
  servers: [{ host: '127.0.0.1', port: server.port }],
  lifetimeS: 60,
  seed: '1',
  isSecure: false,
  network: { loss: 0, latencyMs: 0 },
  chances: { ...NONE, ...given },
  queue: null,
});
const registrations = () => server.requests.filter(({ path }) => path.length === 1);

async function started(given: Partial<Chances>): Promise<Member> {
  member = await startMember('sim-0001', optionsOf(given), counts, clock);
  await until(() => expect(counts.registrations).toBe(1));
  return member;
}

async function asked(method: 'GET' | 'PUT', path: string[], payload = ''): Promise<string> {
  const peer = registrations().at(-1)?.peer;
  if (!peer) throw new Error('no device is registered');
  const deadline = Date.now() + 10_000;
  const { code, payload: answer } = await server.request(peer, {
    method,
    path,
    deadline,
    ...(method === 'GET'
      ? { accept: SENML_JSON }
      : { payload: Buffer.from(payload), contentFormat: 0 }),
  });
  return method === 'GET' ? answer.toString() : String(code);
}

function valueIn(pack: string, field: 'v' | 't'): unknown {
  const records: unknown = JSON.parse(pack);
  const first: unknown = Array.isArray(records) ? records[0] : null;
  return typeof first === 'object' && first !== null ? Reflect.get(first, field) : undefined;
}
const valueAt = async (path: string[]) => valueIn(await asked('GET', path), 'v');

describe('a device of a fleet', () => {
  it('shows changing values with the right time, and takes what is written', async () => {
    await started({});
    const before = await valueAt(TEMPERATURE);
    await clock.advance(10_000);
    expect(await valueAt(TEMPERATURE)).not.toBe(before);
    expect(valueIn(await asked('GET', TEMPERATURE), 't')).toBe(clock.now() / 1_000);
    expect(await asked('PUT', SET_POINT, '21.5')).toBe(String(Code.CHANGED));
    expect(await valueAt(SET_POINT)).toBe(21.5);
    member?.account();
    expect(counts).toMatchObject({ reads: 4, writes: 1, lies: 0 });
  });

  it('that is stuck answers the same value, whatever the time', async () => {
    const device = await started({ stuck: 1 });
    device.turn();
    const before = await valueAt(TEMPERATURE);
    await clock.advance(10_000);
    expect(await valueAt(TEMPERATURE)).toBe(before);
    expect(counts.stuck).toBe(1);
  });

  it('that lies answers 2.04 and keeps the former value', async () => {
    await started({ 'lie-ack': 1 });
    const before = await valueAt(SET_POINT);
    expect(await asked('PUT', SET_POINT, '30')).toBe(String(Code.CHANGED));
    expect(await valueAt(SET_POINT)).toBe(before);
    expect(counts.lies).toBe(1);
  });

  it('with a wrong clock sends wrong times', async () => {
    const device = await started({ clock: 1 });
    device.turn();
    const time = Number(valueIn(await asked('GET', TEMPERATURE), 't'));
    expect(Math.abs(time - clock.now() / 1_000)).toBeGreaterThanOrEqual(300);
    expect(Number(await valueAt(['3', '0', '13']))).toBe(Math.floor(time));
  });

  it('that reboots is silent, then registers from another port with the value it held', async () => {
    const device = await started({ reboot: 1 });
    const before = registrations()[0]?.peer.port;
    await asked('PUT', SET_POINT, '19');
    device.turn();
    expect(device.isRegistered()).toBe(false);
    await clock.advance(1_999);
    expect(registrations()).toHaveLength(1);
    await clock.advance(8_001);
    await until(() => expect(device.isRegistered()).toBe(true));
    expect(registrations()).toHaveLength(2);
    expect(registrations()[1]?.peer.port).not.toBe(before);
    expect(await valueAt(SET_POINT)).toBe(19);
    expect(server.requests.some(({ method }) => method === 'DELETE')).toBe(false);
    expect(counts).toMatchObject({ reboots: 1, registrations: 2, writes: 1 });
  });

  it('that is off for longer than its registration lasts says so, and registers then', async () => {
    const told: string[] = [];
    const happened = (endpoint: string, what: string) => void told.push(`${endpoint} ${what}`);
    const options = { ...optionsOf({ outage: 1 }), happened };
    member = await startMember('sim-0001', options, counts, clock);
    await until(() => expect(counts.registrations).toBe(1));
    member.turn();
    await clock.advance(119_999);
    expect(registrations()).toHaveLength(1);
    await clock.advance(60_001);
    await until(() => expect(member?.isRegistered()).toBe(true));
    const words = ['on', 'heard', 'outage', 'on', 'heard'];
    // Its updates follow.
    expect(told.slice(0, words.length)).toEqual(words.map((word) => `sim-0001 ${word}`));
    expect(counts).toMatchObject({ outages: 1, reboots: 0, registrations: 2 });
  });

  it('whose port is changed on the way is asked there, and nowhere else', async () => {
    const device = await started({ rebind: 1 });
    const before = server.requests.at(-1)?.peer;
    device.turn();
    await clock.advance(30_000);
    await until(() => expect(counts.updates).toBe(1));
    const after = server.requests.at(-1)?.peer;
    expect(after?.port).not.toBe(before?.port);
    if (!before || !after) throw new Error('no device has registered');
    const get = { method: 'GET', path: TEMPERATURE, accept: SENML_JSON } as const;
    const deadline = Date.now() + 1_000;
    expect((await server.request(after, { ...get, deadline })).code).toBe(Code.CONTENT);
    // Nothing comes through the port that it had.
    await expect(server.request(before, { ...get, deadline })).rejects.toThrow();
    expect(counts.registrations).toBe(1);
  });

  it('in a storm registers again and again, and then rests', async () => {
    const device = await started({ storm: 1 });
    device.turn();
    for (let step = 0; step < 40; step += 1) {
      const before = registrations().length;
      await clock.advance(200);
      if (step < 10) await until(() => expect(registrations().length).toBeGreaterThan(before));
    }
    const after = registrations().length;
    expect(after).toBeGreaterThan(10);
    expect(after).toBeLessThanOrEqual(32);
    await clock.advance(20_000);
    expect(registrations()).toHaveLength(after);
  });
});

describe('a fleet', () => {
  it('ends with every device de-registered and no timer left', async () => {
    const endpoints = ['sim-0001', 'sim-0002', 'sim-0003'];
    const options = { ...optionsOf({}), turnMs: 10_000 };
    const starting = startFleet(endpoints, options, () => true, clock);
    await until(() => expect(server.requests.length).toBe(3));
    await clock.advance(100);
    const fleet = await starting;
    await until(() => expect(fleet.summary()).toMatchObject({ devices: 3, registered: 3 }));
    await fleet.stop();
    expect(fleet.summary()).toMatchObject({ registered: 0, deregistered: 3 });
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });
});

describe('the network of a device', () => {
  /** Which of 200 numbered datagrams arrive, each way. */
  async function arrived(seed: string, loss: number): Promise<number[]> {
    const [device, peer] = [createSocket('udp4'), createSocket('udp4')];
    createNetwork({ loss, latencyMs: 0 }, { seed, endpoint: 'sim-0001', clock, counts }).attach(
      device,
    );
    const got: number[] = [];
    device.on('message', ([number = 0]) => got.push(number));
    peer.on('message', (bytes, from) => peer.send(bytes, from.port, from.address));
    for (const socket of [device, peer]) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    const lost = counts.lost;
    for (let number = 0; number < 200; number += 1)
      device.send(Buffer.from([number]), peer.address().port, '127.0.0.1');
    await until(() => expect(got.length + counts.lost - lost).toBe(200));
    device.close();
    peer.close();
    return got;
  }

  it('loses the same datagrams for the same seed, in both directions', async () => {
    const first = await arrived('1', 0.3);
    expect(await arrived('1', 0.3)).toEqual(first);
    expect(await arrived('2', 0.3)).not.toEqual(first);
    // Of 200 there and back 98 arrive; one way alone would leave 140.
    expect(first.length).toBeGreaterThan(70);
    expect(first.length).toBeLessThan(125);
    expect(await arrived('1', 0)).toHaveLength(200);
  });

  it('delays each datagram, and loses what exceeds its room', async () => {
    const [device, peer] = [createSocket('udp4'), createSocket('udp4')];
    const of = { seed: '1', endpoint: 'sim-0001', clock, counts };
    createNetwork({ loss: 0, latencyMs: 200 }, of).attach(device);
    let got = 0;
    peer.on('message', () => {
      got += 1;
    });
    for (const socket of [device, peer]) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    for (let number = 0; number < 70; number += 1)
      device.send(Buffer.from([number]), peer.address().port, '127.0.0.1');
    await clock.advance(199);
    expect(got).toBe(0);
    await clock.advance(1);
    await until(() => expect(got).toBe(64));
    expect(counts.lost).toBe(6);
    device.close();
    peer.close();
  });
});
