import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Agent, createServer, type IncomingMessage, type OutgoingMessage } from 'coap';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Driver, DriverDevice } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice, openDriverCenter } from '../support/devices/driver-center.ts';
import { spawnDevice } from '../support/devices/simulator.ts';
import { lwm2mDriver } from '../support/lwm2m/lwm2m-driver.ts';
import { until } from '../support/world/until.ts';

const log = createLog('silent');
const resource = (objectId: number, resourceId: number) => ({
  objectId: String(objectId),
  resourceId: String(resourceId),
});
const points = [
  { id: '1', code: 'temperature', configs: resource(3303, 5700) },
  { id: '2', code: 'setPoint', type: 'FLOAT', rw: 'READ_WRITE', configs: resource(3308, 5900) },
  { id: '3', code: 'reboot', type: 'BOOLEAN', rw: 'WRITE_ONLY', configs: resource(3, 4) },
  { id: '4', code: 'maker', type: 'STRING', configs: resource(3, 0) },
  { id: '5', code: 'battery', type: 'INT', configs: resource(3, 9) },
  { id: '6', code: 'missing', type: 'INT', configs: resource(3, 77) },
] as const;
const device = driverDevice({ endpoint: 'urn:dev:1' }, points);
const theirs = {
  ...driverDevice({ endpoint: 'urn:dev:1' }, points, '2'),
  tenantId: '2',
  claim: null,
};

describe('a simulated device on another CoAP stack', () => {
  let dataDir: string;
  const cleanup: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'lwm2m-'));
  });
  afterEach(async () => {
    for (const done of cleanup.splice(0).toReversed()) await done();
    await rm(dataDir, { recursive: true });
  });

  const serve = async (devices: DriverDevice[] = [device], port = 0) => {
    const driver = lwm2mDriver({ port, clock, log, dataDir });
    const center = await openDriverCenter(clock, driver.code, devices);
    const options = { bus: center.bus, clock, log, node: 'n1', dataDir };
    // Only the test reads: a collection in between would hold the peer's one outstanding request.
    const running = await startDriver(driver, options);
    const stop = async () => {
      await running.stop();
      await center.bus.close();
    };
    cleanup.push(stop);
    await until(() => expect(running.devices().size).toBe(devices.length));
    return { driver, center, stop };
  };
  const simulate = async (driver: { port(): number }, endpoint = 'urn:dev:1', lifetimeS = 3600) => {
    const server = { host: '127.0.0.1', port: driver.port() };
    const simulated = await startDevice({ endpoint, server, lifetimeS, log });
    cleanup.push(() => simulated.stop());
    return simulated;
  };
  const online = (driver: Driver, of = device) =>
    vi.waitFor(() => expect(driver.status(of).status).toBe('ONLINE'), 20_000);
  const point = (code: (typeof points)[number]['code']) => {
    const found = device.points.find((candidate) => candidate.code === code);
    if (!found) throw new Error(`no point ${code}`);
    return found;
  };
  const soon = (ms = 5_000) => clock.now() + ms;

  it('as its own process registers, is read, written and rebooted, and takes its leave', async () => {
    const { driver } = await serve();
    const child = spawnDevice({ endpoint: 'urn:dev:1', port: driver.port() });
    cleanup.push(() => child.kill());
    expect(await child.next('registered')).toMatchObject({
      endpoint: 'urn:dev:1',
      location: expect.stringMatching(/^\/rd\/\w+$/),
    });
    await online(driver);
    const read = async (code: (typeof points)[number]['code']) =>
      (await driver.read(device, point(code), soon())).rawValue;
    expect(Number(await read('temperature'))).toBeGreaterThan(10);
    expect(await read('maker')).toBe('Simulated Devices');
    expect(await read('battery')).toBe('87');
    await driver.write(device, point('setPoint'), '21.3', soon());
    expect(await child.next('set-point')).toMatchObject({ value: 21.3 });
    expect(await read('setPoint')).toBe('21.3');
    await driver.write(device, point('reboot'), 'true', soon());
    await child.next('reboot');
    await child.next('registered');
    expect(await child.stop()).toBe(0);
    expect(child.lines.at(-1)).toMatchObject({ event: 'de-registered' });
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('is held since it was heard last, also with a registration that has no end', async () => {
    const { driver } = await serve();
    await simulate(driver, 'urn:dev:1', 0);
    await online(driver);
    expect(driver.heldMs?.(device)).toBeGreaterThanOrEqual(0);
  });

  it('is not rebooted by writing false', async () => {
    const { driver } = await serve();
    const simulated = await simulate(driver);
    await online(driver);
    await expect(driver.write(device, point('reboot'), 'false', soon())).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
    expect(simulated.requests.reboots).toBe(0);
  });

  it('executes the resource that the attributes of a custom command name, and no other command', async () => {
    const { driver } = await serve();
    const simulated = await simulate(driver);
    await online(driver);
    const call = (configs: Record<string, string>) =>
      driver.call?.(device, { id: '7', code: 'restart', configs }, {}, soon());
    await expect(call({ objectId: '3', resourceId: '4' })).resolves.toEqual({});
    expect(simulated.requests.reboots).toBe(1);
    await expect(call({})).rejects.toMatchObject({ code: 'UNSUPPORTED', outcome: 'FAILED' });
    await expect(call({ objectId: '3', resourceId: '0' })).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
    });
    expect(simulated.requests.reboots).toBe(1);
  });

  it('that says no, fails the command for certain', async () => {
    const { driver } = await serve();
    await simulate(driver);
    await online(driver);
    await expect(driver.read(device, point('missing'), soon())).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
      message: 'the device answered 4.04',
      outcome: 'FAILED',
    });
  });

  it('that vanished leaves a write UNKNOWN and a read FAILED', async () => {
    const { driver } = await serve();
    const simulated = await simulate(driver);
    await online(driver);
    simulated.vanish();
    const write = driver.write(device, point('setPoint'), '22', soon(3_000));
    await expect(write).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'UNKNOWN' });
    const read = driver.read(device, point('setPoint'), soon(3_000));
    await expect(read).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'FAILED' });
  });

  it('that never registered is offline, and nothing is sent to it', async () => {
    const { driver } = await serve();
    expect(driver.status(device)).toMatchObject({ status: 'OFFLINE' });
    const write = driver.write(device, point('setPoint'), '22', soon());
    await expect(write).rejects.toMatchObject({ code: 'DEVICE_OFFLINE', outcome: 'FAILED' });
  });

  it('stays reachable over a restart of the server without registering again', async () => {
    const first = await serve();
    const simulated = await simulate(first.driver);
    await online(first.driver);
    const port = first.driver.port();
    await first.stop();
    const second = await serve([device], port);
    expect(second.driver.status(device).status).toBe('ONLINE');
    const reading = await second.driver.read(device, point('setPoint'), soon());
    expect(reading.rawValue).toBe(String(simulated.setPoint()));
  });

  it("belongs to one tenant only, also when another tenant's device claims its name", async () => {
    const { driver } = await serve([device, theirs]);
    const simulated = await simulate(driver);
    await online(driver);
    expect(driver.status(theirs)).toEqual({
      status: 'OFFLINE',
      description: 'not registered: the endpoint belongs to another device',
    });
    const write = driver.write(theirs, point('setPoint'), '99', soon());
    await expect(write).rejects.toMatchObject({ code: 'DEVICE_OFFLINE' });
    expect(simulated.requests.writes).toBe(0);
  });

  it('shares the port with devices of other tenants', async () => {
    const other = { ...driverDevice({ endpoint: 'urn:dev:2' }, points, '2'), tenantId: '2' };
    const { driver } = await serve([device, other]);
    const [one, two] = [await simulate(driver), await simulate(driver, 'urn:dev:2')];
    await online(driver);
    await online(driver, other);
    await driver.write(other, point('setPoint'), '25', soon());
    expect([one.setPoint(), two.setPoint()]).toEqual([20, 25]);
  });

  it('is dropped when its device is removed', async () => {
    const { driver, center } = await serve();
    await simulate(driver);
    await online(driver);
    await center.remove(device);
    await until(() => expect(driver.status(device).status).toBe('OFFLINE'));
  });

  it.each([
    ['4.05', 'FAILED'],
    ['2.05', 'UNKNOWN'],
    ['5.00', 'UNKNOWN'],
  ])('that answers a write %s leaves it %s', async (statusCode, outcome) => {
    const { driver } = await serve();
    const stubborn = await openStubbornDevice((_request, response) => {
      response.statusCode = statusCode;
      return response.end();
    });
    cleanup.push(async () => stubborn.close());
    await stubborn.register(driver.port(), 'ep=urn:dev:1&lt=60&lwm2m=1.1&b=U');
    await online(driver);
    const write = driver.write(device, point('setPoint'), '22', soon());
    await expect(write).rejects.toMatchObject({ code: 'DEVICE_REFUSED', outcome });
  });

  it.each([
    ['1.0', 11542, Buffer.from([0xe4, 0x17, 0x0c, 0x41, 0xaa, 0x66, 0x66])],
    ['1.1', 110, Buffer.from('[{"bn":"/3308/0/","n":"5900","v":21.3}]')],
    ['1.1', 0, Buffer.from('21.3')],
  ])(
    'of version %s that knows format %i only is read and written',
    async (version, format, bytes) => {
      const { driver } = await serve();
      const writes: (Buffer | string)[] = [];
      const only =
        format === 11542
          ? 'application/vnd.oma.lwm2m+tlv'
          : format === 110
            ? 'application/senml+json'
            : 'text/plain';
      const stubborn = await openStubbornDevice((request, response) => {
        const wrong = request.headers['Accept'] ?? request.headers['Content-Format'];
        if (wrong !== undefined && wrong !== only) {
          response.statusCode = request.method === 'GET' ? '4.06' : '4.15';
          return response.end();
        }
        if (request.method === 'PUT') {
          writes.push(request.payload);
          response.statusCode = '2.04';
          return response.end();
        }
        response.setOption('Content-Format', format);
        return response.end(bytes);
      });
      cleanup.push(async () => stubborn.close());
      await stubborn.register(driver.port(), `ep=urn:dev:1&lt=60&lwm2m=${version}&b=U`);
      await online(driver);
      const reading = await driver.read(device, point('setPoint'), soon());
      expect(reading.rawValue).toBe('21.3');
      await driver.write(device, point('setPoint'), '21.5', soon());
      expect(writes).toHaveLength(1);
      expect(Buffer.from(writes[0] ?? '').length).toBeGreaterThan(0);
    },
  );
});

/** A device of nothing but a handler, which registers from the socket it answers on. */
async function openStubbornDevice(
  handle: (request: IncomingMessage, response: OutgoingMessage) => unknown,
) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server = createServer((request, response) => void handle(request, response));
  server.listen(socket);
  const agent = new Agent({ socket });
  return {
    async register(port: number, query: string): Promise<void> {
      const where = { host: '127.0.0.1', port, pathname: '/rd', query, method: 'POST' } as const;
      const request = agent.request(where);
      request.setOption('Content-Format', 40);
      request.end('</3308/0>');
      await once(request, 'response');
    },
    close(): void {
      server.close();
      agent.close();
      socket.close();
    },
  };
}
