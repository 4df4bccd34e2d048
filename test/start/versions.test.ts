import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { recordedMigrations, recordOnly } from '../support/cases/recorded-migrations.ts';
import { copyOfTree } from '../support/cases/tree.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { NODE_COMPILE_CACHE } from '../support/world/process.ts';
import { type Server, startServer } from '../support/world/server.ts';

/** A bound for a hanging command only. */
const COMMAND_MS = 60_000;
vi.setConfig({ testTimeout: 4 * COMMAND_MS });

let tree: string;
let data: string;
beforeEach(() => {
  tree = copyOfTree();
  data = mkdtempSync(join(tmpdir(), 'svc-versions-'));
});
afterEach(() => {
  for (const folder of [tree, data]) rmSync(folder, { recursive: true, force: true });
});

/** A command of the copy, or of this tree, on the data. */
const svc = (command: 'migrate' | 'serve', cwd = tree) =>
  spawnSync(process.execPath, ['src/main.ts', command], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE,
      ...testEnvironment,
      SVC_DATA_DIR: data,
    },
    encoding: 'utf8',
    timeout: COMMAND_MS,
  });
const file = (name: string): string => join(tree, 'sql', name);

it('what was applied and what the code has are compared by every start and by migrate', () => {
  const LAST = readdirSync('sql').findLast((name) => /^\d{4}_/.test(name)) ?? '';
  const refused = (reason: string, command: 'migrate' | 'serve' = 'migrate', cwd = tree): void => {
    const { status, stdout, stderr } = svc(command, cwd);
    expect({ status, stdout, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(reason),
    });
    expect(stdout).not.toContain('is up');
  };
  expect(svc('migrate')).toMatchObject({ status: 0 });

  const twice = `${LAST.slice(0, 4)}_zz_twice.sql`;
  writeFileSync(file(twice), 'select 1;');
  refused(`Two migrations have the number of ${twice}`);
  rmSync(file(twice));

  writeFileSync(file('0169_late.sql'), 'select 1;');
  refused('0169_late.sql is numbered before that');
  rmSync(file('0169_late.sql'));

  const applied = readFileSync(file(LAST), 'utf8');
  writeFileSync(file(LAST), `${applied}-- and more\n`);
  refused(`The file of an applied migration was changed: ${LAST}`);

  // Other line ends are no change, and a compatible migration is no obstacle for older code.
  writeFileSync(file(LAST), applied.replaceAll('\n', '\r\n'));
  writeFileSync(file('9000_more.sql'), '--! compatible\ncreate index on svc_device (remark);');
  expect(svc('migrate')).toMatchObject({ status: 0 });
  expect(svc('migrate', '.')).toMatchObject({ status: 0 });

  writeFileSync(
    file('9001_future.sql'),
    'alter table svc_device rename column device_name to title;',
  );
  expect(svc('migrate')).toMatchObject({ status: 0 });
  const unknown =
    'A newer version upgraded this database: 9001_future.sql is not known to this version.';
  refused(unknown, 'serve', '.');
  refused(unknown, 'migrate', '.');
});

it('a database of before 0.2.0 is refused with the version that upgrades it', async () => {
  expect(svc('migrate')).toMatchObject({ status: 0 });
  await recordOnly(data, ['0001_identity.sql', '0235_firmware_leave.sql']);
  expect(svc('migrate')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'This database is at 0235_firmware_leave.sql, and this version upgrades databases from 0240_identity_notice.sql on. Start version 0.2.0 on it once',
    ),
  });
});

it('a database of 0.2.0 is taken over as it is, and gets what came after the baseline', async () => {
  const files = readdirSync(file('.')).filter((name) => /^\d{4}_/.test(name));
  const texts = new Map(files.map((name) => [name, readFileSync(file(name), 'utf8')]));
  const later = files.filter((name) => !texts.get(name)?.startsWith('--! baseline'));
  for (const name of later) rmSync(file(name));
  expect(svc('migrate')).toMatchObject({ status: 0 });
  const old = ['0001_identity.sql', '0240_identity_notice.sql'];
  await recordOnly(data, old);
  for (const name of later) writeFileSync(file(name), texts.get(name) ?? '');
  writeFileSync(file('9000_more.sql'), 'create index on svc_device (remark);');
  expect(svc('migrate')).toMatchObject({ status: 0 });
  expect(await recordedMigrations(data)).toEqual([...old, ...files, '9000_more.sql']);
});

describe('a platform that runs', () => {
  let server: Server | undefined;
  afterEach(async () => {
    await server?.kill();
  });

  /** What a start does after its own: links the tree as it is now for the next one. */
  const link = (cache: string): void => {
    const linked = spawnSync(process.execPath, ['src/start/link.ts', cache], {
      cwd: tree,
      encoding: 'utf8',
      timeout: COMMAND_MS,
    });
    expect(linked).toMatchObject({ status: 0, stderr: '' });
  };
  const programs = (cache: string): string[] => {
    const [folder = ''] = readdirSync(join(cache, 'linked'));
    return readdirSync(join(cache, 'linked', folder)).filter((name) => name !== 'list');
  };

  it('keeps the code that it was started with while its tree is linked again and again', async () => {
    const cache = join(tree, 'cache');
    link(cache);
    const [first = ''] = programs(cache);
    server = await startServer(
      { ...testEnvironment, SVC_DATA_DIR: data, NODE_COMPILE_CACHE: cache },
      tree,
    );
    for (const change of ['a', 'b', 'c']) {
      appendFileSync(join(tree, 'src/kernel/clock.ts'), `// ${change}\n`);
      link(cache);
    }
    expect(programs(cache)).toContain(first);
    expect((await fetch(`${server.base}/v3/api-docs`)).status).toBe(200);
    const asked = await fetch(`${server.base}/mcp`, { method: 'POST' });
    expect(asked.status).toBe(401);
    await server.stop();
    link(cache);
    appendFileSync(join(tree, 'src/kernel/clock.ts'), `// d\n`);
    link(cache);
    expect(programs(cache)).not.toContain(first);
  });
});
