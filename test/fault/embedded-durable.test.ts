import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { DurableFs } from '../../src/db/embedded/directory/durable-fs.ts';
import { createSession } from '../../src/db/embedded/session.ts';
import { startParameters } from '../../src/db/embedded/start-parameters.ts';
import { query } from '../../src/db/embedded/wire.ts';

let root = '';
beforeAll(() => {
  root = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-durable-')), 'pg');
});
afterAll(() => fs.rmSync(path.dirname(root), { recursive: true, force: true }));

const commit = query(`select pg_logical_emit_message(true, 'test', 'x')`);

it('syncs the log once for each commit, and not for a read', async () => {
  const files = new DurableFs(root);
  await using database = await PGlite.create({ fs: files, startParams: [...startParameters] });
  const session = createSession(database, files);
  await session.proveDurable();
  const before = files.walSyncs;
  for (let n = 0; n < 5; n += 1) await session.exec(commit, 1, () => undefined);
  await session.exec(query('select 1'), 1, () => undefined);
  expect(files.walSyncs - before).toBe(5);
});

it('refuses an engine that does not sync', async () => {
  const files = new DurableFs(root);
  await using database = await PGlite.create({ fs: files }); // as shipped: fsync off
  await expect(createSession(database, files).proveDurable()).rejects.toThrow('not durable here');
});

it('answers nothing any more once the disk has refused a sync', async () => {
  const files = new DurableFs(root);
  await using database = await PGlite.create({ fs: files, startParams: [...startParameters] });
  const session = createSession(database, files);
  files.failure = new Error('EIO');
  const answers: unknown[] = [];
  await expect(session.exec(commit, 1, (bytes) => answers.push(bytes))).rejects.toThrow(
    'The disk refused to sync',
  );
  expect(answers).toEqual([]);
});
