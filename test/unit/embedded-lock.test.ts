import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { lockDirectory } from '../../src/db/embedded/lock.ts';

let dir = '';
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-lock-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const lockFile = (): string => path.join(dir, 'embedded.lock');
const lockUrl = new URL('../../src/db/embedded/lock.ts', import.meta.url).href;

/** A process of its own that locks the directory and ends without releasing. */
function lockAndDie(): { pid: number; output: string } {
  const child = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
      const { lockDirectory } = await import(${JSON.stringify(lockUrl)});
      try { lockDirectory(${JSON.stringify(dir)}); console.log('locked'); }
      catch (error) { console.log(error.message); }
    `,
    ],
    { encoding: 'utf8', timeout: 20_000 },
  );
  return { pid: child.pid, output: child.stdout.trim() };
}

it('refuses a second opener by name and leaves nothing behind on release', () => {
  const release = lockDirectory(dir);
  expect(() => lockDirectory(dir)).toThrow(`in use by process ${process.pid}`);
  expect(lockAndDie().output).toContain(`in use by process ${process.pid}`);
  release();
  expect(fs.readdirSync(dir)).toEqual([]);
});

it('takes over from a process that died', () => {
  expect(lockAndDie().output).toBe('locked');
  const release = lockDirectory(dir);
  expect(fs.readdirSync(dir)).toEqual(['embedded.lock']);
  release();
});

it('tells a dead process from a live one that got its number', () => {
  lockAndDie();
  const stale: object = JSON.parse(fs.readFileSync(lockFile(), 'utf8'));
  fs.writeFileSync(lockFile(), JSON.stringify({ ...stale, pid: process.pid, started: '1' }));
  lockDirectory(dir)();
  expect(fs.readdirSync(dir)).toEqual([]);
});

it('ignores a lock that was copied along with its directory', () => {
  const release = lockDirectory(dir);
  const copy = `${dir}-copy`;
  fs.cpSync(dir, copy, { recursive: true });
  try {
    lockDirectory(copy)();
    expect(() => lockDirectory(dir)).toThrow('in use');
  } finally {
    fs.rmSync(copy, { recursive: true });
    release();
  }
});

it('lets a stale lock be taken over again when the one who took it over died half way', () => {
  lockAndDie();
  const holder: { nonce: string } = JSON.parse(fs.readFileSync(lockFile(), 'utf8'));
  // what a crash between claim and replacement leaves: a claim of a dead process
  fs.renameSync(lockFile(), path.join(dir, 'kept'));
  lockAndDie();
  fs.renameSync(lockFile(), `${lockFile()}.${holder.nonce}`);
  fs.renameSync(path.join(dir, 'kept'), lockFile());
  lockDirectory(dir)();
  expect(fs.readdirSync(dir)).toEqual([]);
});

it('says what to do about a lock it cannot read', () => {
  fs.writeFileSync(lockFile(), 'not ours');
  expect(() => lockDirectory(dir)).toThrow('remove it if no process uses the data');
});
