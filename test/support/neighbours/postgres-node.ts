import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { withServer } from '../world/template.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const BIN = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? '';

/** A PostgreSQL server of our own: loopback only, its own port and data; owner svc_owner. */
export type PostgresNode = {
  host: string;
  port: number;
  url: string;
  /** Ends it at once, as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Runs one statement as its superuser, whom row-level security does not hold. */
  sql(text: string, database?: 'postgres' | 'svc'): Promise<Record<string, unknown>[]>;
  /** A copy that follows this one, and that commits wait for. */
  standby(): Promise<PostgresNode>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  remove(): Promise<void>;
};

/** PostgreSQL refuses to run as root. */
async function asPostgres(program: string, words: string[], cwd: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const command = isRoot ? '/usr/sbin/runuser' : join(BIN, program);
  const given = isRoot ? ['-u', 'postgres', '--', join(BIN, program), ...words] : words;
  const { stdout } = await run(command, given, { cwd });
  return stdout;
}

async function makeHome(): Promise<string> {
  // The folder of a run in memory is closed to the user that the server runs as.
  const folder = process.getuid?.() === 0 ? '/tmp' : tmpdir();
  const home = await mkdtemp(join(folder, 'svc-postgres-'));
  await chmod(home, 0o700);
  if (process.getuid?.() === 0) {
    const { stdout } = await run('id', ['-u', 'postgres']);
    await chown(home, Number(stdout), -1);
  }
  return home;
}

export async function startPostgresNode(): Promise<PostgresNode> {
  const home = await makeHome();
  const words = ['-D', join(home, 'data'), '-U', 'postgres', '--auth=trust', '--encoding=UTF8'];
  await asPostgres('initdb', [...words, '--locale=C.UTF-8'], home);
  const node = nodeIn(home, await freePort());
  await node.start();
  await node.sql('create role svc_owner login createdb createrole');
  await node.sql('create database svc owner svc_owner');
  return node;
}

function nodeIn(home: string, port: number): PostgresNode {
  const data = join(home, 'data');
  const admin = `postgres://postgres@127.0.0.1:${port}`;
  const control = (...words: string[]) => asPostgres('pg_ctl', ['-D', data, '-s', ...words], home);
  const node: PostgresNode = {
    host: '127.0.0.1',
    port,
    url: `postgres://svc_owner@127.0.0.1:${port}/svc`,
    crash: async () => void (await control('-m', 'immediate', 'stop')),
    async start() {
      const settings = [
        'listen_addresses=127.0.0.1',
        `port=${port}`,
        `unix_socket_directories=${home}`,
        'max_connections=300',
      ];
      const given = settings.map((setting) => `-c ${setting}`).join(' ');
      await control('-w', '-l', join(home, 'log'), '-o', given, 'start');
    },
    sql: (text, database = 'postgres') =>
      withServer(`${admin}/${database}`, async (client) => (await client.query(text)).rows),
    async standby() {
      const copy = await makeHome();
      const to = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-R', '-X', 'stream'];
      await asPostgres('pg_basebackup', [...to, '-D', join(copy, 'data')], copy);
      const follower = nodeIn(copy, await freePort());
      await follower.start();
      await node.sql(`alter system set synchronous_standby_names = '*'`);
      await node.sql('select pg_reload_conf()');
      return follower;
    },
    async promote() {
      await control('-w', 'promote');
    },
    async remove() {
      await control('-m', 'immediate', 'stop').catch(() => {});
      await rm(home, { recursive: true, force: true });
    },
  };
  return node;
}
