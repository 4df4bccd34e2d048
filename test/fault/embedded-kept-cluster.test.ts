import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Client } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openEmbedded } from '../../src/db/embedded/engine.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';

const log = createLog('silent');
/** A bound for files that are never kept. */
const KEPT_WITHIN_MS = 30_000;

let home: string;
let folder: string;
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-kept-'));
  folder = path.join(home, 'compiled');
  vi.stubEnv('NODE_COMPILE_CACHE', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(home, { recursive: true, force: true });
});

/** Makes a database in a new directory, with a table; answers the tables it had, and the mark of its initdb. */
async function start(name: string, untilKept = async (): Promise<void> => {}) {
  const engine = await openEmbedded({ dataDir: path.join(home, name), clock: systemClock, log });
  const client = new Client(engine.poolConfig);
  await client.connect();
  const { rows } = await client.query<{ origin: string; tables: string }>(
    `select system_identifier as origin, (select count(*) from pg_tables where schemaname = 'public') as tables
     from pg_control_system()`,
  );
  await client.query('create table secret as select 1');
  await untilKept();
  await client.end();
  await engine.close();
  return rows[0];
}

/** All that is kept: one file in the folder of this version of Node. */
const kept = (): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name).startsWith('cluster-'))
    .map((name) => path.join(folder, name));

async function keptFile(): Promise<string> {
  await vi.waitFor(
    () => expect(kept()).toEqual([expect.stringMatching(/cluster-\d+\.\d+\.\d+$/)]),
    {
      timeout: KEPT_WITHIN_MS,
    },
  );
  const [file = ''] = kept();
  return file;
}

it('what initdb made is kept for the next directory, without what was written since', async () => {
  const first = await start('one', async () => void (await keptFile()));
  expect(await start('two')).toEqual({ origin: first?.origin, tables: '0' });
  // Of a start that was cut short nothing is used.
  fs.rmSync(path.join(home, 'two', 'pg', 'base'), { recursive: true });
  fs.writeFileSync(path.join(home, 'two', 'pg.incomplete'), '');
  expect(await start('two')).toEqual({ origin: first?.origin, tables: '0' });
});

it.each([
  ['cut off', (file: string) => fs.truncateSync(file, fs.statSync(file).size - 1)],
  [
    'damaged',
    (file: string) => {
      const bytes = fs.readFileSync(file);
      const middle = bytes.length >> 1;
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      fs.writeFileSync(file, bytes);
    },
  ],
  ['of another version', (file: string) => fs.renameSync(file, file.replace(/\d+$/, '0-old'))],
])('a file that is %s is not used, and replaced', async (_what, spoil) => {
  const first = await start('one', async () => void (await keptFile()));
  const [file = ''] = kept();
  spoil(file);
  const spoilt = kept().map((name) => fs.statSync(name).ino);
  const second = await start('two', () =>
    vi.waitFor(
      () => {
        expect(kept()).toEqual([file]);
        expect(spoilt).not.toContain(fs.statSync(file).ino);
      },
      { timeout: KEPT_WITHIN_MS },
    ),
  );
  expect(second?.origin).not.toBe(first?.origin);
  expect((await start('three'))?.origin).toBe(second?.origin);
});

it('a start goes on where nothing can be kept', async () => {
  await start('one', async () => void (await keptFile()));
  const [file = ''] = kept();
  fs.rmSync(file);
  fs.mkdirSync(file);
  expect(await start('two')).toMatchObject({ tables: '0' });
});
