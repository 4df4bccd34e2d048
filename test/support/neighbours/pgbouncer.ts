import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from './free-port.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const START_MS = 15_000;

export const hasPgbouncer = existsSync(PROGRAM);

/** A pooler of our own in front of a database: loopback only, its own port, the defaults of PgBouncer. */
export type Pgbouncer = {
  /** The database through it. */
  url: string;
  stop(): Promise<void>;
};

/** Resolves when it takes connections. */
export async function startPgbouncer(
  database: string,
  poolMode: 'session' | 'transaction' | 'statement',
): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, pathname } = new URL(database);
  // It refuses to run as root: another user reads its files, and may not enter the tests' folder in memory.
  const home = await mkdtemp('/tmp/svc-pgbouncer-');
  await chmod(home, 0o755);
  const port = await freePort();
  const files = { settings: join(home, 'pgbouncer.ini'), users: join(home, 'users') };
  await writeFile(files.users, `"${username}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${files.users}`,
    `pool_mode = ${poolMode}`,
  ];
  await writeFile(files.settings, `${settings.join('\n')}\n`);
  const words = [PROGRAM, '-q', files.settings];
  const isRoot = process.getuid?.() === 0;
  const [program = PROGRAM, ...given] = isRoot
    ? ['/usr/sbin/runuser', '-u', 'postgres', '--', ...words]
    : words;
  const child = spawn(program, given, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const pooler: Pgbouncer = {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(home, { recursive: true, force: true });
    },
  };
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(50)) {
    if (child.exitCode !== null) break;
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return pooler;
  }
  await pooler.stop();
  throw new Error('PgBouncer did not start');
}
