import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/core/clock.ts';
import { createLog } from '../../src/core/log/log.ts';
import { openEmbedded } from '../../src/db/embedded/engine.ts';
import type { EmbeddedEngine } from '../../src/db/embedded/engine.ts';

let home = '';
let engine: EmbeddedEngine;
let pool: Pool;
beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-begin-'));
  engine = await openEmbedded({ dataDir: home, clock: systemClock, log: createLog('silent') });
  pool = new Pool({ ...engine.poolConfig });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await engine.close();
  fs.rmSync(home, { recursive: true, force: true });
});

const BEGIN = `begin; set local svc.tenant_id = '7'`;
const CONTEXT = `select coalesce(current_setting('svc.tenant_id', true), '') as id`;
const context = async (): Promise<unknown> => (await pool.query(CONTEXT)).rows[0];

describe('a transaction on the embedded engine, whose beginning goes with its first statement', () => {
  it('has its context, and leaves none behind when it ends', async () => {
    const client = await pool.connect();
    await client.query(BEGIN);
    expect((await client.query(CONTEXT)).rows).toEqual([{ id: '7' }]);
    await client.query('commit');
    client.release();
    expect(await context()).toEqual({ id: '' });
  });

  it('leaves none behind when a statement fails, and when there was none', async () => {
    const client = await pool.connect();
    await client.query(BEGIN);
    await expect(client.query('select 1 / 0')).rejects.toThrow('division by zero');
    await expect(client.query('select 1')).rejects.toThrow('aborted');
    await client.query('rollback');
    for (const end of ['rollback', 'commit']) {
      await client.query(BEGIN);
      await client.query(end);
    }
    client.release();
    expect(await context()).toEqual({ id: '' });
  });

  it('is forgotten with a client that leaves', async () => {
    for (const said of [[BEGIN], [BEGIN, 'select 1']]) {
      const client = await pool.connect();
      for (const sql of said) await client.query(sql);
      client.release(true);
      expect(await context()).toEqual({ id: '' });
    }
  });

  it('does not keep maintenance waiting before its first statement', async () => {
    const client = await pool.connect();
    await client.query(BEGIN);
    expect(await engine.maintain()).toBe(true);
    expect((await client.query(CONTEXT)).rows).toEqual([{ id: '7' }]);
    await client.query('rollback');
    client.release();
  });
});
