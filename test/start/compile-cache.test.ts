import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** A bound for a hanging command only. */
const COMMAND_MS = 60_000;
vi.setConfig({ testTimeout: COMMAND_MS + 10_000 });

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
  for (const part of ['src', 'tools', 'providers', 'driver', 'sql', 'package.json'])
    cpSync(part, join(tree, part), { recursive: true });
  // A folder of its own, so that what is beside the packages is this tree's.
  mkdirSync(join(tree, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((entry) => !entry.startsWith('.')))
    symlinkSync(resolve('node_modules', name), join(tree, 'node_modules', name));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

const version = (environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['src/main.ts', '--version'], {
    cwd: tree,
    env: { PATH: process.env['PATH'], ...environment },
    encoding: 'utf8',
    timeout: COMMAND_MS,
  });

it('what a process compiled is kept beside the packages for the next one', () => {
  expect(version()).toMatchObject({ status: 0, stderr: '' });
  const kept = readdirSync(join(tree, 'node_modules/.cache/svc'), { recursive: true });
  expect(kept.length).toBeGreaterThan(500);
});

it('a process without a place to keep it starts all the same', () => {
  writeFileSync(join(tree, 'node_modules/.cache'), 'not a folder');
  expect(version()).toMatchObject({ status: 0, stderr: '' });
});

it('the place that NODE_COMPILE_CACHE names is taken instead', () => {
  const elsewhere = join(tree, 'elsewhere');
  expect(version({ NODE_COMPILE_CACHE: elsewhere })).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(elsewhere)).toHaveLength(1);
  expect(readdirSync(join(tree, 'node_modules'))).not.toContain('.cache');
});
