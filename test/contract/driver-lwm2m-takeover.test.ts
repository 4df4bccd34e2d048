import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage } from 'coap';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Driver, DriverDevice } from '../../driver/sdk/driver.ts';
import { Quality } from '../../src/bus/topics.ts';
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
    const held = { value: '20', writes: 0, requests: 0 };
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
