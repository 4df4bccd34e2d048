import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { openEmbedded } from '../../src/db/embedded/engine.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';

const KILLS = 5;
const writer = fileURLToPath(new URL('./embedded-writer.ts', import.meta.url));
const log = createLog('silent');

let dataDir = '';
const children: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-crash-'));
  await (await openEmbedded({ dataDir, clock: systemClock, log })).close();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }));

function start(mode: string): { child: ChildProcess; lines: Interface } {
  const child = spawn(process.execPath, [writer, dataDir, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout }) };
}

it(`keeps every acknowledged row over ${KILLS} kills in the middle of writing`, async () => {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, lines } = start('write');
    const exited = once(child, 'exit');
    let acknowledged = 0;
    let seen = 0;
    for await (const line of lines) {
      acknowledged = Number(line);
      seen += 1;
      if (seen === 20 * kill) child.kill('SIGKILL');
    }
    await exited;
    expect(seen).toBeGreaterThanOrEqual(20 * kill);

    const engine = await openEmbedded({ dataDir, clock: systemClock, log });
    const pool = new Pool({ ...engine.poolConfig });
    try {
      const { rows } = await pool.query<{ rows: number; last: number }>(
        'select count(*)::int as rows, max(id) as last from kept',
      );
      const [{ rows: count, last } = { rows: 0, last: 0 }] = rows;
      expect(last).toBeGreaterThanOrEqual(acknowledged);
      expect(count).toBe(last); // no batch is there by halves, none in between is missing
    } finally {
      await pool.end();
      await engine.close();
    }
  }
});

it('refuses a second process by the number of the first, which goes on working', async () => {
  const engine = await openEmbedded({ dataDir, clock: systemClock, log });
  const pool = new Pool({ ...engine.poolConfig });
  try {
    const { lines } = start('write');
    const [refusal] = await once(lines, 'line');
    expect(refusal).toContain(`in use by process ${process.pid}`);
    await expect(openEmbedded({ dataDir, clock: systemClock, log })).rejects.toThrow('in use');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
    await engine.close();
  }
});

it('lets exactly one of several processes take over a stale lock', async () => {
  const first = start('lock');
  await once(first.lines, 'line');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const rivals = Array.from({ length: 6 }, () => start('lock'));
  const words = await Promise.all(
    rivals.map(async ({ lines }) => String(await once(lines, 'line'))),
  );
  expect(words.filter((word) => word === 'locked')).toHaveLength(1);
  expect(words.filter((word) => word.includes('in use by process'))).toHaveLength(5);
  for (const { child } of rivals) {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
  }
});

it('makes the files anew when the very first start was cut short', async () => {
  const cut = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-cut-'));
  try {
    fs.mkdirSync(path.join(cut, 'pg'));
    fs.writeFileSync(path.join(cut, 'pg', 'PG_VERSION'), '18\n');
    fs.writeFileSync(path.join(cut, 'pg.incomplete'), '');
    await (await openEmbedded({ dataDir: cut, clock: systemClock, log })).close();
    expect(fs.readdirSync(cut)).toEqual(['pg']);
  } finally {
    fs.rmSync(cut, { recursive: true, force: true });
  }
}, 30_000);

it('says why files cannot be opened and frees the directory', async () => {
  const broken = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-broken-'));
  try {
    fs.mkdirSync(path.join(broken, 'pg'));
    fs.writeFileSync(path.join(broken, 'pg', 'PG_VERSION'), '11\n');
    await expect(openEmbedded({ dataDir: broken, clock: systemClock, log })).rejects.toThrow(
      'The embedded database cannot be opened: ',
    );
    expect(fs.readdirSync(broken)).toEqual(['pg']);
  } finally {
    fs.rmSync(broken, { recursive: true, force: true });
  }
}, 30_000);

it('opens after a kill that left the lock file of PostgreSQL empty', async () => {
  fs.writeFileSync(path.join(dataDir, 'pg', 'postmaster.pid'), '');
  await (await openEmbedded({ dataDir, clock: systemClock, log })).close();
});

it('says why PostgreSQL does not start', async () => {
  const broken = `${dataDir}-broken`;
  fs.cpSync(dataDir, broken, { recursive: true });
  fs.rmSync(path.join(broken, 'pg', 'global', 'pg_control'));
  try {
    await expect(openEmbedded({ dataDir: broken, clock: systemClock, log })).rejects.toThrow(
      /cannot be opened: [^]*pg_control/,
    );
  } finally {
    fs.rmSync(broken, { recursive: true, force: true });
  }
});
