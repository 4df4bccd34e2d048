import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort } from './free-port.ts';

/** Debian's own scripts, without its wrapper that insists on the system's user and folders. */
const BIN = '/usr/lib/rabbitmq/bin';
const START_MS = 90_000;
const STOP_MS = 30_000;

export const hasRabbitmq = existsSync(`${BIN}/rabbitmq-server`);

/** A broker of our own: loopback only, its own ports, name server, cookie and data; user guest. */
export type RabbitmqNode = {
  url: string;
  /** Runs `rabbitmqctl` on it; answers what it printed. */
  ctl(...words: string[]): Promise<string>;
  /** SIGKILL; the data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Ends it and its name server and removes its data. */
  stop(): Promise<void>;
};

/** Resolves when it takes connections. */
export async function startRabbitmqNode(): Promise<RabbitmqNode> {
  const home = await mkdtemp(join(tmpdir(), 'svc-rabbitmq-'));
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: home,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: `svc-${port}@localhost`,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(home, 'data'),
    RABBITMQ_LOG_BASE: join(home, 'log'),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    // It looks at each queue every five seconds; the queues of tests that ended remain for an hour.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} -rabbit quorum_tick_interval 60000 -rabbit collect_statistics_interval 60000',
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // Makes the script become the broker, so that our signals reach it.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
  await writeFile(
    env.RABBITMQ_CONFIG_FILE,
    'log.console = false\ndisk_free_limit.absolute = 50MB\n',
  );
  await writeFile(env.RABBITMQ_ENABLED_PLUGINS_FILE, '[].\n');

  const run = () => spawn(`${BIN}/rabbitmq-server`, { env, cwd: home, stdio: 'ignore' });
  let broker: ReturnType<typeof run> | undefined;
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (!broker || broker.exitCode !== null || broker.signalCode !== null) return;
    const exited = once(broker, 'exit');
    broker.kill(signal);
    const late = setTimeout(() => broker?.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
  };
  const node: RabbitmqNode = {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    async ctl(...words) {
      const { stdout } = await promisify(execFile)(`${BIN}/rabbitmqctl`, ['-q', ...words], { env });
      return stdout;
    },
    kill: () => end('SIGKILL'),
    async start() {
      broker = run();
      await listening(port, () => broker?.exitCode ?? null, env.RABBITMQ_LOG_BASE);
    },
    async stop() {
      await end('SIGTERM');
      await promisify(execFile)('epmd', ['-port', String(names), '-kill'], { env }).catch(() => {});
      await rm(home, { recursive: true, force: true });
    },
  };
  try {
    await node.start();
  } catch (error) {
    await node.stop();
    throw error;
  }
  return node;
}

/** A broker listens when the rest of its start is done. */
async function listening(port: number, exitCode: () => number | null, logs: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100)) {
    if (exitCode() !== null) break;
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
  }
  const log = await readFile(join(logs, `svc-${port}@localhost.log`), 'utf8').catch(() => '');
  throw new Error(`RabbitMQ did not start:\n${log.slice(-4000)}`);
}

// By hand and in `.ci/run`: prints AMQP_URL once it is ready, ends with a signal.
if (import.meta.main) {
  const node = await startRabbitmqNode();
  console.log(`AMQP_URL=${node.url}`);
  const stop = (): void => void node.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
