import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { z } from 'zod';

import { createHttpDriver } from '../../../driver/http/driver.ts';
import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { type DriverCenter, openDriverCenter } from '../devices/driver-center.ts';
import { TestClock } from '../world/clock.ts';
import { until } from '../world/until.ts';

const log = createLog('silent');
const place = { name: 'HTTP in', scheme: 'http', host: '127.0.0.1', port: 0 };

/** A secret that `device` n signs with, and another one. */
export const secretOf = (n: number): string => `whsec_${Buffer.alloc(32, n).toString('base64')}`;

const Remarks = z.array(z.object({ at: z.string(), code: z.string(), message: z.string() }));
const Answer = z.object({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z
    .looseObject({
      taken: z.number().optional(),
      repeated: z.boolean().optional(),
      refused: Remarks.optional(),
      bad: Remarks.optional(),
    })
    .optional(),
});
type Answered = z.infer<typeof Answer> & { status: number; retryAfter: string | null };

type How = {
  id?: string;
  /** Milliseconds since the epoch. */
  at?: number;
  secret?: string;
  device?: string;
  method?: string;
  path?: string;
  headers?: Record<string, string>;
};

export type HttpBench = {
  center: DriverCenter;
  clock: TestClock;
  url: string;
  status(device: DriverDevice): { status: string; description: string };
  /** Sends a body as a device signs it, with the package of Standard Webhooks. */
  push(body: unknown, how?: How): Promise<Answered>;
  /** Stops the driver and starts it anew. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

let ids = 0;

/** An HTTP driver that serves these devices, of which the first signs unless another is named. */
export async function openHttpBench(
  devices: readonly DriverDevice[],
  { ready, allow = [] }: { ready?: Promise<void>; allow?: readonly string[] } = {},
): Promise<HttpBench> {
  const clock = new TestClock();
  const dataDir = await mkdtemp(join(tmpdir(), 'http-'));
  const make = () =>
    createHttpDriver({
      clock,
      log,
      dataDir,
      egressAllow: allow,
      place,
    });
  let driver = make();
  const center = await openDriverCenter(clock, driver.code, devices, ready);
  const { bus } = center;
  let running: RunningDriver;
  async function start(): Promise<void> {
    running = await startDriver(driver, { bus, clock, log, node: 'n1', dataDir });
    const [listening] = driver.listening?.() ?? [];
    bench.url = `http://127.0.0.1:${listening?.port}`;
    if (!ready) await until(() => expect(running.registered()).toBe(true));
  }
  /** A connection that is still to be closed waits for the clock. */
  async function halt(): Promise<void> {
    const stopped = running.stop();
    await clock.advance(15_000);
    await stopped;
  }
  const bench: HttpBench = {
    center,
    clock,
    url: '',
    status: (device) => driver.status(device),
    async push(body, how = {}) {
      const { id = `msg_${(ids += 1)}`, at = clock.now(), secret = secretOf(1) } = how;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const path = how.path ?? `/push/${how.device ?? devices[0]?.id}`;
      const response = await fetch(bench.url + path, {
        method: how.method ?? 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, new Date(at), text),
          ...how.headers,
        },
        ...(how.method !== 'GET' && { body: text }),
      });
      const answer = Answer.parse(await response.json());
      const { status, headers } = response;
      return { ...answer, status, retryAfter: headers.get('retry-after') };
    },
    async restart() {
      await halt();
      driver = make();
      await start();
    },
    async stop() {
      await halt();
      await bus.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  await start();
  return bench;
}
