import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createDriverHealth } from '../../src/gateway/mount/driver-health.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { noMetrics } from '../../src/kernel/metrics/metrics.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { openDriverPort } from '../../src/start/ports.ts';
import { readSettings } from '../../src/start/settings.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { startProcess } from '../support/world/process.ts';

/** As the image runs it: what stands in the Dockerfile behind `node`. */
const [, check = ''] =
  /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
const [node, ...words] = z.array(z.string()).parse(JSON.parse(check));

const health = async (environment: Record<string, string>) => {
  const child = startProcess(words, { SVC_ENV: 'test', ...environment });
  const { code } = await child.exited;
  return [code, child.output.join('\n')];
};

const world = startedWorld();

describe('the health check of the image', () => {
  it('is a program of the image', () => expect(node).toBe('node'));

  it('asks the gateway at the port of the environment', async () => {
    const { port } = new URL(world.base);
    expect(await health({ SVC_PORT: port })).toEqual([0, 'ready']);
    const other = `${await freePort()}`;
    expect(await health({ SVC_PORT: other })).toEqual([
      1,
      `not ready: nothing answers on port ${other}`,
    ]);
  });

  it('asks drivers that run alone at their own port, and names what they wait for', async () => {
    const port = await freePort();
    const environment = {
      SVC_ENV: 'test',
      SVC_ROLES: 'driver-virtual',
      AMQP_URL: 'amqp://guest:guest@127.0.0.1:1',
      SVC_DRIVER_PORT: `${port}`,
    };
    const config = readSettings(environment);
    const log = createLog('silent');
    const missing = ['VirtualDriver'];
    const parts = {
      config,
      clock: systemClock,
      log,
      metrics: noMetrics,
      bus: world.app.bus,
      crashAt: () => {},
    };
    const door = await openDriverPort(
      parts,
      createDriverHealth(parts, () => missing),
    );
    expect(await health(environment)).toEqual([
      1,
      `not ready: port ${port} waits for VirtualDriver`,
    ]);
    missing.pop();
    expect(await health(environment)).toEqual([0, 'ready']);
    const { SVC_DRIVER_PORT: _, ...without } = environment;
    expect(await health(without)).toEqual([
      1,
      'not ready: SVC_DRIVER_PORT must name the port to ask',
    ]);
    await door.stop();
    expect(await health(environment)).toEqual([1, `not ready: nothing answers on port ${port}`]);
  });

  it('says which setting is wrong instead of asking', async () => {
    const [code, output] = await health({ SVC_ROLES: 'driver-virtual' });
    expect([code, output]).toEqual([1, expect.stringContaining('AMQP_URL is required')]);
  });
});
