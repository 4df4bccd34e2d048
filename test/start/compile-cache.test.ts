import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { copyOfTree } from '../support/cases/tree.ts';

/** A bound for a hanging command only. */
const COMMAND_MS = 60_000;
vi.setConfig({ testTimeout: COMMAND_MS + 10_000 });

let tree: string;
beforeEach(() => {
  tree = copyOfTree();
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

describe('what is linked for the next start', () => {
  let cache: string;
  let entry: string;
  beforeEach(() => {
    cache = join(tree, 'cache');
    const linked = spawnSync(process.execPath, ['src/start/link.ts', cache], {
      cwd: tree,
      encoding: 'utf8',
      timeout: COMMAND_MS,
    });
    expect(linked).toMatchObject({ status: 0, stderr: '' });
    const [folder = ''] = readdirSync(join(cache, 'linked'));
    [entry = ''] = readFileSync(join(cache, 'linked', folder, 'list'), 'utf8').split('\n');
  });
  const started = (environment: Record<string, string> = {}) =>
    version({ NODE_COMPILE_CACHE: cache, ...environment });
  const ours = /^\d+\.\d+\.\d+\n$/;

  it('does what its sources do', () => {
    expect(started()).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(ours),
    });
  });

  it('runs as long as no source has changed, and not where changes start a process anew', () => {
    writeFileSync(entry, `export const program = async () => console.log('linked');`);
    expect(started().stdout).toBe('linked\n');
    expect(started({ WATCH_REPORT_DEPENDENCIES: '1' }).stdout).toMatch(ours);
    appendFileSync(join(tree, 'src/kernel/clock.ts'), '\n');
    expect(started().stdout).toMatch(ours);
  });

  it('is passed over where it cannot be loaded, which the process says', () => {
    writeFileSync(entry, `throw new Error('torn');`);
    const { status, stdout, stderr } = started();
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(ours) });
    expect(stderr).toContain('the linked program cannot be loaded, its sources run: Error: torn');
  });

  it('is not kept for a tree whose packages belong to another one', () => {
    rmSync(join(tree, 'node_modules'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
    rmSync(cache, { recursive: true });
    spawnSync(process.execPath, ['src/start/link.ts', cache], {
      cwd: tree,
      timeout: COMMAND_MS,
    });
    expect(readdirSync(tree)).not.toContain('cache');
  });
});
