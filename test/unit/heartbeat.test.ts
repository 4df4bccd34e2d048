import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

import { afterEach, expect, it } from 'vitest';

import { createLog } from '../../src/kernel/process/log.ts';
import { startHeartbeat } from '../../src/start/heartbeat.ts';
import { TestClock } from '../support/world/clock.ts';
import { eventually } from '../support/world/eventually.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

it('a heartbeat is sent while the process is ready, and not while it is not', async () => {
  let ready = 200;
  let taken = 200;
  const beats: string[] = [];
  let asked = 0;
  const port = await serve((_req, res) => {
    asked += 1;
    res.writeHead(ready).end();
  });
  const receiver = await serve((req, res) => {
    beats.push(`${req.method} ${req.url}`);
    res.writeHead(taken).end();
  });
  const clock = new TestClock();
  const lines: string[] = [];
  const log = createLog('info', (line) => void lines.push(line));
  const url = `http://127.0.0.1:${receiver}/ping/a-secret`;
  const heartbeat = startHeartbeat({ config: { heartbeatUrl: url, host: '0.0.0.0' }, clock, log }, [
    port,
  ]);
  const beat = 'POST /ping/a-secret';
  await eventually(
    async () => beats,
    (all) => all.length === 1,
  );
  await clock.advance(60_000);
  await eventually(
    async () => beats,
    (all) => all.length === 2,
  );
  ready = 503;
  await clock.advance(60_000);
  await eventually(
    async () => asked,
    (count) => count === 3,
  );
  ready = 200;
  taken = 500;
  await clock.advance(60_000);
  await eventually(
    async () => lines.length,
    (count) => count === 1,
  );
  expect(beats).toEqual([beat, beat, beat]);
  expect(lines.join()).toContain('the heartbeat could not be sent');
  expect(lines.join()).not.toContain('a-secret');
  await heartbeat.stop();
  await clock.advance(60_000);
  expect(beats).toHaveLength(3);
});

it('without an address nothing is sent', async () => {
  const clock = new TestClock();
  const config = { heartbeatUrl: null, host: '127.0.0.1' };
  await startHeartbeat({ config, clock, log: createLog('silent') }, [1]).stop();
  expect(clock.pending).toBe(0);
});
