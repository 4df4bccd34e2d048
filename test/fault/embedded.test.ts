import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Client, Pool, type QueryResult } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type EmbeddedEngine, openEmbedded } from '../../src/db/embedded/engine.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');
let home = '';
let engine: EmbeddedEngine;
let pool: Pool;

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-'));
  const dataDir = path.join(home, 'template');
  const template = await openEmbedded({ dataDir, clock: systemClock, log });
  // copied while it is open, lock and all, as a careless test would; nothing was written since
  fs.cpSync(dataDir, path.join(home, 'data'), { recursive: true });
  await template.close();
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

beforeEach(async () => {
  engine = await openEmbedded({ dataDir: path.join(home, 'data'), clock: systemClock, log });
  pool = new Pool({ ...engine.poolConfig });
});
afterEach(async () => {
  await pool.end();
  await engine.close();
});

const half = (by: number): Promise<QueryResult<{ n: number }>> =>
  pool.query({ name: 'half', text: 'select 10 / $1::int as n', values: [by] });

const bytesOf = async (table: string): Promise<number> =>
  Number((await pool.query('select pg_relation_size($1) as bytes', [table])).rows[0].bytes);

const walBytes = (): number => {
  const dir = path.join(home, 'data', 'pg', 'pg_wal');
  return fs
    .readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(dir, entry.name)).size, 0);
};

describe('the ordinary pg client on the embedded engine', () => {
  it('gets the types a server gives', async () => {
    const { rows } = await pool.query(
      `select $1::int8 as big, $2::timestamptz as at, $3::jsonb as doc, $4::text[] as list,
              null::int as nothing, 'ü€😀'::text as letters, $5::bytea as raw`,
      ['9223372036854775807', new Date(0), { a: [1] }, ['x', 'y'], Buffer.from([0, 255])],
    );
    expect(rows).toEqual([
      {
        big: '9223372036854775807',
        at: new Date(0),
        doc: { a: [1] },
        list: ['x', 'y'],
        nothing: null,
        letters: 'ü€😀',
        raw: Buffer.from([0, 255]),
      },
    ]);
  });

  it('uses a named statement again, also after an error and after maintenance', async () => {
    expect((await half(2)).rows).toEqual([{ n: 5 }]);
    await expect(half(0)).rejects.toMatchObject({ code: '22012' });
    await engine.maintain();
    expect((await half(5)).rows).toEqual([{ n: 2 }]);
  });

  it('goes on after errors of every protocol step', async () => {
    await expect(pool.query('selec 1')).rejects.toMatchObject({ code: '42601' });
    await expect(pool.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(pool.query('select 1; select 1/0; select 2')).rejects.toMatchObject({
      code: '22012',
    });
    await expect(pool.query('copy pg_class from stdin')).rejects.toMatchObject({ code: '0A000' });
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('rolls a transaction back, with an error inside and without', async () => {
    await pool.query('create table ledger (amount int check (amount > 0))');
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into ledger values (1)');
    await expect(client.query('insert into ledger values (-1)')).rejects.toMatchObject({
      code: '23514',
    });
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('rollback');
    await client.query('begin');
    await client.query('insert into ledger values (2)');
    await client.query('commit');
    client.release();
    expect((await pool.query('select amount from ledger')).rows).toEqual([{ amount: 2 }]);
  });

  it('gives 200 interleaved queries each its own answer, in order', async () => {
    await pool.query('create table sequenced (place serial, n int)');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        n % 7 === 0
          ? pool.query('select 1/0').then(undefined, (error: { code: string }) => error.code)
          : pool
              .query<{ n: number }>('insert into sequenced (n) values ($1) returning n', [n])
              .then(({ rows }) => rows[0]?.n),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => (n % 7 === 0 ? '22012' : n)));
    const { rows } = await pool.query<{ sorted: boolean }>(
      'select bool_and(n > before) is true as sorted from (select n, lag(n, 1, 0) over (order by place) as before from sequenced) s',
    );
    expect(rows).toEqual([{ sorted: true }]);
  });

  it('pipelines, and carries answers of many megabytes', async () => {
    const wide = await pool.query<{ t: string }>(
      `select repeat('x', 1000) as t from generate_series(1, 8000)`,
    );
    expect(wide.rows).toHaveLength(8000);
    await pool.end();
    pool = new Pool({ ...engine.poolConfig, pipeline: true });
    const client = await pool.connect();
    const piped = await Promise.all(
      [1, 2, 3].map((n) => client.query<{ n: number }>('select $1::int as n', [n])),
    );
    client.release();
    expect(piped.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
  });

  it('hears its own notifications', async () => {
    const client = await pool.connect();
    const heard: unknown[] = [];
    client.on('notification', ({ channel, payload }) => heard.push([channel, payload]));
    await client.query('listen news');
    await client.query(`select pg_notify('news', 'late'), 1`);
    await client.query('select 1');
    client.release();
    expect(heard).toEqual([['news', 'late']]);
  });

  it('cleans up after a client that left in the middle of a transaction', async () => {
    await pool.query('create table left_open (n int)');
    const client = await pool.connect();
    await client.query('create role visitor');
    await client.query('set role visitor');
    await client.query('reset role');
    await client.query({ name: 'mine', text: 'select 1', values: [] });
    await client.query('begin');
    await client.query('insert into left_open values (1)');
    await client.query('set local role visitor');
    client.release(true);
    expect((await pool.query('select count(*)::int as n from left_open')).rows).toEqual([{ n: 0 }]);
    expect((await pool.query('select current_user as who')).rows).toEqual([{ who: 'postgres' }]);
    expect((await pool.query({ name: 'mine', text: 'select 2 as n', values: [] })).rows).toEqual([
      { n: 2 },
    ]);
  });

  it('refuses a second client at a time with the reason', async () => {
    await pool.query('select 1');
    const second = new Client({ ...engine.poolConfig });
    await expect(second.connect()).rejects.toMatchObject({ code: '53300' });
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('a role asked for in the connection options', () => {
  it('is there again in each client that replaces a broken one', async () => {
    await pool.query('create role modest');
    await pool.end();
    pool = new Pool({
      ...engine.poolConfig,
      options: '-c role=modest -c my.words=two\\ words --statement-timeout=5000',
      application_name: "it's me",
    });
    const who = `select current_user as who, current_setting('my.words') as words,
      current_setting('application_name') as app, current_setting('statement_timeout') as timeout`;
    const expected = [{ who: 'modest', words: 'two words', app: "it's me", timeout: '5s' }];
    expect((await pool.query(who)).rows).toEqual(expected);
    const client = await pool.connect();
    await client.query('begin');
    client.release(true);
    expect((await pool.query(who)).rows).toEqual(expected);
  });

  it('lets nobody in when it does not exist', async () => {
    await pool.end();
    pool = new Pool({ ...engine.poolConfig, options: '-c role=nobody_at_all' });
    await expect(pool.query('select 1')).rejects.toThrow('nobody_at_all');
    await pool.end();
    pool = new Pool({ ...engine.poolConfig });
    expect((await pool.query('select current_user as who')).rows).toEqual([{ who: 'postgres' }]);
  });
});

describe('maintenance', () => {
  it('shrinks the log, clears dead rows and leaves the role as it was', async () => {
    await pool.query('create table churn (id int primary key, filler text)');
    await pool.query('create role app_role');
    await pool.query('grant all on churn to app_role');
    await pool.query('set role app_role');
    await pool.query(
      `insert into churn select g, repeat(md5(g::text), 50) from generate_series(1, 60000) g`,
    );
    const filled = await bytesOf('churn');
    await pool.query('delete from churn where id > 100');
    const before = walBytes();
    expect(before).toBeGreaterThan(64 * 1024 * 1024);
    // Statistics reach the tables' view at most once a second.
    await expect
      .poll(async () => (await engine.maintain()) && bytesOf('churn'), { timeout: 60_000 })
      .toBeLessThan(filled / 100);
    expect(walBytes()).toBeLessThan(before);
    expect((await pool.query(`select current_user as now, session_user as login`)).rows).toEqual([
      { now: 'app_role', login: 'postgres' },
    ]);
  });

  it('lets an index alone answer for rows that were only added', async () => {
    await pool.query('create table grown (id int primary key)');
    await pool.query('insert into grown select generate_series(1, 5000)');
    const pages = async () =>
      (await pool.query(`select relpages, relallvisible from pg_class where relname = 'grown'`))
        .rows[0];
    // Statistics reach the tables' view at most once a second.
    await expect
      .poll(async () => (await engine.maintain(), (await pages()).relpages), { timeout: 20_000 })
      .toBeGreaterThan(0);
    const { relpages, relallvisible } = await pages();
    expect(relallvisible).toBe(relpages);
  });

  it('keeps a session authorization and never steps into a transaction', async () => {
    await pool.query('create role login_role');
    await pool.query('create role inner_role');
    await pool.query('grant inner_role to login_role');
    await pool.query('set session authorization login_role');
    await pool.query('set role inner_role');
    expect(await engine.maintain()).toBe(true);
    expect((await pool.query('select current_user as now, session_user as login')).rows).toEqual([
      { now: 'inner_role', login: 'login_role' },
    ]);
    const client = await pool.connect();
    await client.query('begin');
    let maintained = false;
    const waiting = engine.maintain().then((done) => (maintained = done));
    await client.query('select 1');
    expect(maintained).toBe(false);
    await client.query('commit');
    client.release();
    expect(await waiting).toBe(true);
  });

  it('finds its moment while transactions follow each other without a pause', async () => {
    const stop = new AbortController();
    const load = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const client = await pool.connect();
        await client.query('begin');
        await client.query('select 1');
        await client.query('commit');
        client.release();
      }
    });
    try {
      for (let n = 0; n < 3; n += 1) expect(await engine.maintain()).toBe(true);
    } finally {
      stop.abort();
      await Promise.all(load);
    }
  });

  it('gives way to a transaction that stays open, and to the end of the engine', async () => {
    await pool.end();
    await engine.close();
    const clock = new TestClock();
    engine = await openEmbedded({ dataDir: path.join(home, 'data'), clock, log });
    pool = new Pool({ ...engine.poolConfig });
    const client = await pool.connect();
    await client.query('begin');
    const waived = engine.maintain();
    await clock.advance(61_000);
    expect(await waived).toBe(false);
    const closing = engine.maintain();
    await engine.close();
    expect(await closing).toBe(false);
    expect(clock.pending).toBe(0);
    client.release(true);
  });
});

describe('the end of the engine', () => {
  it('fails what waits and what comes, and tells the pool, when the engine dies', async () => {
    const told: Error[] = [];
    pool.on('error', (error) => told.push(error));
    const client = await pool.connect();
    client.on('error', (error) => told.push(error));
    // starting a program is what this engine cannot survive
    const fatal = client.query(`copy (select 1) to program 'true'`);
    const behind = pool.query('select 1');
    await expect(fatal).rejects.toThrow('The embedded database has stopped');
    client.release(true);
    await expect(behind).rejects.toThrow('The embedded database has stopped');
    await expect(pool.query('select 1')).rejects.toThrow('The embedded database has stopped');
    expect(told.length).toBeGreaterThan(0);
    await engine.close();
    engine = await openEmbedded({ dataDir: path.join(home, 'data'), clock: systemClock, log });
    pool = new Pool({ ...engine.poolConfig });
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('keeps what was committed and frees the directory when closed', async () => {
    await pool.query('create table remembered as select 42 as answer');
    await pool.end();
    await engine.close();
    expect(fs.readdirSync(path.join(home, 'data'))).toEqual(['pg']);
    engine = await openEmbedded({ dataDir: path.join(home, 'data'), clock: systemClock, log });
    pool = new Pool({ ...engine.poolConfig });
    expect((await pool.query('select answer from remembered')).rows).toEqual([{ answer: 42 }]);
  });
});
