import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { noCounts } from '../../driver/simulator/fleet/counts.ts';
import { createNetwork } from '../../driver/simulator/fleet/network.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { eventually } from '../support/world/eventually.ts';

describe('the port of a simulated device', () => {
  let server: Socket;
  let ports: number[];
  beforeEach(async () => {
    ports = [];
    server = createSocket('udp4').on('message', (_bytes, { port }) => ports.push(port));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  /** What a bind to the port says. */
  async function bound(port: number): Promise<string> {
    const socket = createSocket('udp4');
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.once('listening', () => resolve('free'));
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    socket.bind(port, '127.0.0.1');
    return promise.finally(() => socket.close());
  }

  it('goes to no other device when a mapping is forgotten, or when the device is off', async () => {
    const how = { seed: '1', endpoint: 'urn:dev:1', clock, counts: noCounts() };
    const network = createNetwork({ loss: 0, latencyMs: 0 }, how);
    const socket = createSocket('udp4');
    network.attach(socket);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    for (let count = 1; count <= 3; count += 1) {
      socket.send('x', server.address().port, '127.0.0.1');
      await eventually(
        async () => ports.length,
        (heard) => heard === count,
      );
      if (count < 3) network.rebind();
    }
    socket.close();
    await once(socket, 'close');
    // A bind of this test must not come before those that hold the ports.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(new Set(ports).size).toBe(3);
    for (const port of ports) expect(await bound(port)).toBe('EADDRINUSE');
  });
});
