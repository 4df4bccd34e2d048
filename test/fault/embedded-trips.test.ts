import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type EmbeddedEngine, openEmbedded } from '../../src/db/embedded/engine.ts';
import { type SendSingle, singleTrips } from '../../src/db/trip/single.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';

let dataDir = '';
let engine: EmbeddedEngine;
let pool: pg.Pool;
let send: SendSingle;
let writes = 0;

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-trips-'));
  engine = await openEmbedded({ dataDir, clock: systemClock, log: createLog('silent') });
  const { stream } = engine.poolConfig;
  pool = new pg.Pool({
    ...engine.poolConfig,
    stream() {
      const socket = typeof stream === 'function' ? stream() : stream;
      if (!socket) throw new Error('the engine gives no socket');
      const uncork = socket.uncork.bind(socket);
      socket.uncork = () => {
        writes += 1;
        uncork();
      };
      return socket;
    },
  });
  send = singleTrips(pool);
  await pool.query('create table kept (n int primary key)');
});
afterAll(async () => {
  await pool?.end();
  await engine?.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await pool.query('truncate kept');
  writes = 0;
});

const keep = (n: string) => send([{ sql: 'insert into kept values ($1)', parameters: [n] }]);
const kept = async (): Promise<unknown[]> => {
  const [answer] = await send([{ sql: 'select n from kept order by n', parameters: [] }]);
  return (answer?.rows ?? []).map(({ n }) => n);
};

describe('trips that come while the one connection is busy', () => {
  it('leave in one write, once their statements are known', async () => {
    await keep('0');
    writes = 0;
    const [first] = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => keep(String(n))));
    expect(first).toEqual([{ rows: [], command: 'INSERT', count: 1n }]);
    expect(writes).toBe(1);
    expect(await kept()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('fail alone', async () => {
    await keep('0');
    const all = await Promise.allSettled(['1', '2', '2', 'x', '3'].map(keep));
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await kept()).toEqual([0, 1, 2, 3]);
  });

  it('do not need a statement that a failed one ahead of them would have prepared', async () => {
    const both = (n: string) =>
      send([
        { sql: 'select 1 / $1::int as one', parameters: [n] },
        { sql: 'select n + 1 from kept', parameters: [] },
      ]);
    await keep('0');
    const all = await Promise.allSettled([keep('1'), both('0'), both('1'), both('0'), both('1')]);
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('give way to a transaction that waited before them, and are not lost in a crowd', async () => {
    await keep('0');
    const held = await pool.connect();
    const trips = Array.from({ length: 40 }, (_, n) => keep(String(n + 1)));
    const waiting = pool.connect();
    await held.query('select 1');
    held.release();
    const client = await waiting;
    const { rows } = await client.query<{ n: string }>('select count(*)::text as n from kept');
    client.release();
    await Promise.all(trips);
    // The one from before, and the eight that travelled together ahead of it.
    expect(rows).toEqual([{ n: '9' }]);
    expect((await kept()).length).toBe(41);
  });
});

it('fail together when the engine stops', async () => {
  const own = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-trips-'));
  const ended = await openEmbedded({ dataDir: own, clock: systemClock, log: createLog('silent') });
  const its = new pg.Pool(ended.poolConfig);
  const ignore = (): void => {};
  its.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  const sendThere = singleTrips(its);
  const statement = { sql: 'select 1 as one', parameters: [] };
  await sendThere([statement]);
  const all = Promise.allSettled(Array.from({ length: 40 }, () => sendThere([statement])));
  await ended.close();
  const answers = await all;
  expect(answers.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  await its.end();
  fs.rmSync(own, { recursive: true, force: true });
});
