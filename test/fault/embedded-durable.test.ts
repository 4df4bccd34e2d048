import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';

import { DurableFs } from '../../src/db/embedded/durable-fs.ts';
import { createSession } from '../../src/db/embedded/session.ts';
import { startParameters } from '../../src/db/embedded/start-parameters.ts';
import { query } from '../../src/db/embedded/wire.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';

let root = '';
beforeAll(() => {
  root = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-durable-')), 'pg');
});
afterAll(() => fs.rmSync(path.dirname(root), { recursive: true, force: true }));

afterEach(() => void vi.restoreAllMocks());

const commit = query(`select pg_logical_emit_message(true, 'test', 'x')`);

const CHANGES = ['ftruncateSync', 'truncateSync', 'unlinkSync', 'renameSync', 'rmdirSync'] as const;

/** Which changes of other files the engine makes, and those made while a write to its log was not synced. */
function watchFiles(): { made: Set<string>; overtaking: string[] } {
  const made = new Set<string>();
  const overtaking: string[] = [];
  const ofLog = new Set<number>();
  let isSynced = true;
  const change = (name: string): void => {
    made.add(name);
    if (!isSynced) overtaking.push(name);
  };
  const { openSync, writeSync, fdatasyncSync } = fs;
  vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
    const fd = openSync(...args);
    ofLog.delete(fd);
    if (String(args[0]).includes('/pg_wal/')) ofLog.add(fd);
    return fd;
  });
  vi.spyOn(fs, 'writeSync').mockImplementation((...args: Parameters<typeof writeSync>) => {
    if (ofLog.has(args[0])) isSynced = false;
    else change('writeSync');
    return writeSync(...args);
  });
  vi.spyOn(fs, 'fdatasyncSync').mockImplementation((fd) => {
    fdatasyncSync(fd);
    if (ofLog.has(fd)) isSynced = true;
  });
  for (const name of CHANGES) {
    const original: (...args: never[]) => void = fs[name];
    vi.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
      change(name);
      Reflect.apply(original, fs, args);
    });
  }
  return { made, overtaking };
}

async function open(clock: Pick<Clock, 'elapsed'> = systemClock) {
  const files = new DurableFs(root);
  const database = await PGlite.create({ fs: files, startParams: [...startParameters] });
  return {
    files,
    session: createSession(database, files, clock),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

it('syncs the log once for each commit, and not for a read', async () => {
  await using engine = await open();
  const { files, session } = engine;
  await session.proveDurable();
  const before = files.walSyncs;
  for (let n = 0; n < 5; n += 1) await session.exec(commit, 1, () => undefined);
  await session.exec(query('select 1'), 1, () => undefined);
  expect(files.walSyncs - before).toBe(5);
});

it('syncs the log once for commits that travel together', async () => {
  await using engine = await open();
  const { files, session } = engine;
  const before = files.walSyncs;
  await session.exec(Buffer.concat(Array.from({ length: 5 }, () => commit)), 5, () => undefined);
  expect(files.walSyncs - before).toBe(1);
});

it('syncs a commit before a long answer after it begins to leave', async () => {
  await using engine = await open();
  const { files, session } = engine;
  const before = files.walSyncs;
  const syncs: number[] = [];
  const long = query(`select repeat('x', 100000) from generate_series(1, 30)`);
  await session.exec(Buffer.concat([commit, long]), 2, () => syncs.push(files.walSyncs - before));
  expect(syncs.length).toBeGreaterThan(0);
  expect(syncs[0]).toBe(1);
});

it('lets what is answered leave after 100 ms of a hand-over, its commits synced', async () => {
  let elapsed = 0;
  let step = 0;
  await using engine = await open({ elapsed: () => (elapsed += step) });
  const { files, session } = engine;
  const syncsOfPieces = async (msOfEach: number): Promise<number[]> => {
    step = msOfEach;
    const before = files.walSyncs;
    const syncs: number[] = [];
    const three = Buffer.concat([commit, commit, commit]);
    await session.exec(three, 3, () => syncs.push(files.walSyncs - before));
    return syncs;
  };
  expect(await syncsOfPieces(1)).toEqual([]);
  expect(await syncsOfPieces(100)).toEqual([1, 2, 3]);
});

it('lets no change of another file overtake the log of commits that travel together', async () => {
  const { made, overtaking } = watchFiles();
  await using engine = await open();
  const statements = [
    'create table overtaking as select n, md5(n::text) from generate_series(1, 500) n',
    'select pg_switch_wal()',
    'update overtaking set n = n + 1',
    'delete from overtaking where n > 10',
    'vacuum (truncate) overtaking',
    'drop table overtaking',
    'checkpoint',
  ];
  overtaking.length = 0;
  made.clear();
  await engine.session.exec(
    Buffer.concat(statements.map(query)),
    statements.length,
    () => undefined,
  );
  expect([...made]).toEqual(expect.arrayContaining(['writeSync', 'unlinkSync']));
  expect(overtaking).toEqual([]);
});

it('refuses an engine that does not sync', async () => {
  const files = new DurableFs(root);
  await using database = await PGlite.create({ fs: files }); // as shipped: fsync off
  const session = createSession(database, files, systemClock);
  await expect(session.proveDurable()).rejects.toThrow('not durable here');
});

it('answers nothing any more once the disk has refused a sync', async () => {
  await using engine = await open();
  const { files, session } = engine;
  files.failure = new Error('EIO');
  const answers: unknown[] = [];
  await expect(session.exec(commit, 1, (bytes) => answers.push(bytes))).rejects.toThrow(
    'The disk refused to sync',
  );
  expect(answers).toEqual([]);
});

it('answers nothing when the disk refuses the sync of commits that travel together', async () => {
  await using engine = await open();
  await engine.session.exec(commit, 1, () => undefined);
  const refused = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    throw new Error('EIO');
  });
  const answers: unknown[] = [];
  const both = engine.session.exec(Buffer.concat([commit, commit]), 2, (bytes) =>
    answers.push(bytes),
  );
  await expect(both).rejects.toThrow('The disk refused to sync');
  expect(refused).toHaveBeenCalledOnce();
  expect(answers).toEqual([]);
});

it('neither answers nor writes a file once the disk has refused a sync among commits that travel together', async () => {
  await using engine = await open();
  await engine.session.exec(query('create table refusing (n int)'), 1, () => undefined);
  const { made } = watchFiles();
  vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    made.clear();
    throw new Error('EIO');
  });
  const long = query(`select repeat('x', 100000) from generate_series(1, 30)`);
  const batch = [commit, query('drop table refusing'), commit, long, query('checkpoint')];
  const answers: unknown[] = [];
  const all = engine.session.exec(Buffer.concat(batch), batch.length, (bytes) =>
    answers.push(bytes),
  );
  await expect(all).rejects.toThrow('The disk refused to sync');
  expect(answers).toEqual([]);
  expect([...made]).toEqual([]);
});
