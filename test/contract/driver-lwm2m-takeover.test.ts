import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage } from 'coap';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Driver, DriverDevice } from '../../driver/sdk/driver.ts';
import { Quality } from '../../src/bus/topic/topics.ts';
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
const WAIT = { timeout: 20_000, interval: 50 };

/** A registration on the clear port, where nothing but the address tells two devices apart. */
describe('another address that wants the name of a registered device', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  /** A device at an address of its own that keeps what is written. */
  const at = async (driver: Driver & { port(): number }, address: string, port = 0) => {
    const socket = createSocket('udp4').bind(port, address);
    await once(socket, 'listening');
    const held = { value: '20', writes: 0, requests: 0, isDeaf: false };
    const emit = socket.emit.bind(socket);
    // A write that is lost on its way, while all else arrives.
    socket.emit = (event: string, ...given: unknown[]): boolean => {
      const [bytes] = given;
      const isPut = event === 'message' && Buffer.isBuffer(bytes) && bytes[1] === 3;
      return isPut && held.isDeaf ? true : emit(event, ...given);
    };
    const server = createServer((request, response) => {
      held.requests += 1;
      if (request.method === 'PUT') {
        held.value = request.payload.toString();
        held.writes += 1;
        response.statusCode = '2.04';
        response.end();
      } else response.end(held.value);
    });
    server.listen(socket);
    const agent = new Agent({ socket });
    let open = true;
    const close = () => {
      if (!open) return;
      open = false;
      server.close();
      agent.close();
      socket.close();
    };
    bench.cleanup(close);
    const ask = async (pathname: string, query = '', method: 'POST' | 'DELETE' = 'POST') => {
      const request = agent.request({
        host: '127.0.0.1',
        port: driver.port(),
        pathname,
        query,
        method,
      });
      request.end();
      const [response]: IncomingMessage[] = await once(request, 'response');
      return response;
    };
    let location = '';
    return {
      held,
      close,
      port: socket.address().port,
      async register() {
        const response = await ask('/rd', 'ep=urn:dev:1&lt=3600&lwm2m=1.1&b=U');
        const parts = (packetOf(response)?.options ?? []).filter(
          ({ name }) => name === 'Location-Path',
        );
        if (response?.code === '2.01')
          location = `/${parts.map(({ value }) => String(value)).join('/')}`;
        return response?.code;
      },
      location: () => location,
      update: async (where = location) => (await ask(where))?.code,
      leave: async (where: string) => (await ask(where, '', 'DELETE'))?.code,
    };
  };
  const write = async (
    center: Awaited<ReturnType<Lwm2mBench['serve']>>['center'],
    value: string,
  ) => {
    const { commandId } = await center.send({ pointId: '2', type: 'WRITE', value });
    return center.result(commandId);
  };

  it('is refused while the device answers, and the writes go on to the device', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    const other = await at(driver, '127.0.0.2');
    const neighbour = await at(driver, '127.0.0.1');
    expect(await own.register()).toBe('2.01');
    expect(await other.register()).toBe('4.03');
    expect(await neighbour.register()).toBe('4.03');
    expect(await other.update(own.location())).toBe('4.03');
    expect(await other.leave(own.location())).toBe('4.03');
    expect(await write(center, '22')).toMatchObject({ status: 'SUCCESS', readBack: '22' });
    expect([own.held.writes, other.held.requests, center.alarms]).toEqual([1, 0, []]);
    // One question answers for ten seconds: a stranger cannot have the device asked all the time.
    expect(own.held.requests).toBe(3);
    expect(await own.update()).toBe('2.04');
  });

  it('gets it when the device is silent: with an alarm, and nothing verified until it is confirmed', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    own.close();
    const other = await at(driver, '127.0.0.2');
    expect(await other.register()).toBe('2.01');
    await vi.waitFor(() => expect(center.alarms).toHaveLength(1), WAIT);
    const [alarm] = center.alarms;
    expect(alarm).toMatchObject({
      tenantId: '1',
      target: 'DEVICE',
      entityId: '1',
      source: 'SYSTEM',
      message: expect.stringContaining('now answers from 127.0.0.2 and no longer from 127.0.0.1'),
      reference: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const doubted = { status: 'SUCCESS', readBack: null, errorCode: 'PEER_CHANGED' };
    expect(await write(center, '22')).toMatchObject(doubted);
    expect(other.held.writes).toBe(1);
    expect(center.values.at(-1)).toMatchObject({ calValue: '22', quality: Quality.UNCERTAIN });
    // Neither another registration of it nor a restart takes the doubt away.
    expect(await other.leave(other.location())).toBe('2.02');
    expect(await other.register()).toBe('2.01');
    expect(await write(center, '23')).toMatchObject(doubted);
    const confirmed: DriverDevice = {
      ...device,
      claim: { endpoint: 'urn:dev:1', number: '1', acknowledged: alarm?.reference ?? '' },
    };
    await center.announce(confirmed);
    expect(await write(center, '24')).toMatchObject({ readBack: '24', errorCode: '' });
    await center.announce(device);
    expect(await write(center, '25')).toMatchObject(doubted);
    expect(center.alarms).toHaveLength(1);
  });

  it('keeps the doubt over a restart of the server', async () => {
    const first = await bench.serve([device]);
    const own = await at(first.driver, '127.0.0.1');
    await own.register();
    own.close();
    const other = await at(first.driver, '127.0.0.2');
    expect(await other.register()).toBe('2.01');
    const port = first.driver.port();
    await first.stop();
    const second = await bench.serve([device], port);
    expect(await write(second.center, '22')).toMatchObject({ errorCode: 'PEER_CHANGED' });
  });

  /** A write that the device does not answer, as while it restarts. */
  const beginWrite = async (
    center: Awaited<ReturnType<Lwm2mBench['serve']>>['center'],
    of: { lost: () => number },
  ) => {
    const { commandId } = await center.send({ pointId: '2', type: 'WRITE', value: '30' });
    await vi.waitFor(() => expect(of.lost()).toBeGreaterThan(0), WAIT);
    return commandId;
  };
  /** What arrives at an address at which no device is any more. */
  const openGrave = async (port: number) => {
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    let lost = 0;
    socket.on('message', () => (lost += 1));
    await once(socket, 'listening');
    bench.cleanup(() => socket.close());
    return { lost: () => lost };
  };
  const hasMoved = (driver: Driver, host: string) =>
    vi.waitFor(() => expect(driver.peer?.(device)?.host).toBe(host), WAIT);

  it('is the device itself that restarted while it was written: let in at once, and served there', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    own.close();
    const commandId = await beginWrite(center, await openGrave(own.port));
    const restarted = await at(driver, '127.0.0.1');
    expect(await restarted.register()).toBe('2.01');
    // It counts for nothing yet, and may go on as if it did.
    expect(await restarted.update()).toBe('2.04');
    expect(restarted.held.requests).toBe(0);
    expect(await write(center, '22')).toMatchObject({ readBack: '22', errorCode: '' });
    expect(await center.result(commandId)).toMatchObject({ status: 'UNKNOWN' });
    expect([restarted.held.writes, center.alarms]).toEqual([1, []]);
    expect(await restarted.update()).toBe('2.04');
  });

  it('is the device itself that restarted twice while it was written', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    own.close();
    await beginWrite(center, await openGrave(own.port));
    const first = await at(driver, '127.0.0.1');
    expect(await first.register()).toBe('2.01');
    first.close();
    const second = await at(driver, '127.0.0.1');
    expect(await second.register()).toBe('2.01');
    expect(await write(center, '22')).toMatchObject({ readBack: '22', errorCode: '' });
    expect(second.held.writes).toBe(1);
  });

  it.each(['registers', 'updates'] as const)(
    'that %s while the device does not answer a write is let in, and doubted as ever',
    async (how) => {
      const { driver, center } = await bench.serve([device]);
      const own = await at(driver, '127.0.0.1');
      await own.register();
      own.close();
      await beginWrite(center, await openGrave(own.port));
      const other = await at(driver, '127.0.0.2');
      if (how === 'registers') expect(await other.register()).toBe('2.01');
      else expect(await other.update(own.location())).toBe('2.04');
      await hasMoved(driver, '127.0.0.2');
      expect(await write(center, '22')).toMatchObject({
        readBack: null,
        errorCode: 'PEER_CHANGED',
      });
      expect(other.held.writes).toBe(1);
      await vi.waitFor(() => expect(center.alarms).toHaveLength(1), WAIT);
    },
  );

  it('gets nothing by a registration while the device misses a write and is there', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    own.held.isDeaf = true;
    await center.send({ pointId: '2', type: 'WRITE', value: '30' });
    const other = await at(driver, '127.0.0.2');
    const code = await other.register();
    expect(['2.01', '4.03']).toContain(code);
    own.held.isDeaf = false;
    expect(await write(center, '22')).toMatchObject({ status: 'SUCCESS', readBack: '22' });
    expect([other.held.requests, center.alarms]).toEqual([0, []]);
    if (code === '2.01') expect(await other.update()).toBe('4.04');
    expect(await own.update()).toBe('2.04');
  });

  it('is the device itself within a network that is trusted, without a question or an alarm', async () => {
    const trusting = { ...device, configs: { ...device.configs, trustedNetworks: '127.0.0.0/29' } };
    const { driver, center } = await bench.serve([trusting]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    const moved = await at(driver, '127.0.0.2');
    expect(await moved.update(own.location())).toBe('2.04');
    expect(await write(center, '22')).toMatchObject({ readBack: '22', errorCode: '' });
    const again = await at(driver, '127.0.0.3');
    expect(await again.register()).toBe('2.01');
    expect(await write(center, '23')).toMatchObject({ readBack: '23', errorCode: '' });
    expect([moved.held.writes, again.held.writes, own.held.requests]).toEqual([1, 1, 0]);
    // An address beyond it is doubted as ever.
    again.close();
    const later = await at(driver, '127.0.0.9');
    expect(await later.register()).toBe('2.01');
    await vi.waitFor(() => expect(center.alarms).toHaveLength(1), WAIT);
  });

  it('may leave the location that it was given before that counts', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    own.close();
    await beginWrite(center, await openGrave(own.port));
    const other = await at(driver, '127.0.0.2');
    expect(await other.register()).toBe('2.01');
    expect(await other.leave(other.location())).toBe('2.02');
    expect(await other.update()).toBe('4.04');
    expect(driver.peer?.(device)?.host).toBe('127.0.0.1');
  });

  it('is the device itself behind another port: it goes on without an alarm', async () => {
    const { driver, center } = await bench.serve([device]);
    const own = await at(driver, '127.0.0.1');
    await own.register();
    // Another mapping of the same address, as an address translator makes it: known by its location.
    const rebound = await at(driver, '127.0.0.1');
    expect(await rebound.update(own.location())).toBe('2.04');
    own.close();
    expect(await write(center, '22')).toMatchObject({ readBack: '22', errorCode: '' });
    expect(rebound.held.writes).toBe(1);
    rebound.close();
    // Restarted at another port, and the old one is silent.
    const restarted = await at(driver, '127.0.0.1');
    expect(await restarted.register()).toBe('2.01');
    expect(await write(center, '23')).toMatchObject({ readBack: '23', errorCode: '' });
    expect(center.alarms).toEqual([]);
  });
});

/** The package hands options over as it read them. */
function packetOf(response: IncomingMessage | undefined) {
  const { _packet: packet } = response ?? {};
  return packet;
}
