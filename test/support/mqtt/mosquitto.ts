import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { certificate } from '../neighbours/certificate.ts';
import { freePort } from '../neighbours/free-port.ts';

const PROGRAM = '/usr/sbin/mosquitto';
const START_MS = 15_000;

export const hasMosquitto = existsSync(PROGRAM) && existsSync('/usr/bin/mosquitto_pub');

/** A broker of our own on loopback: Eclipse Mosquitto with a port and a folder of its own. */
export type Mosquitto = {
  port: number;
  url: string;
  /** Kills it (SIGKILL): what it has not written is lost. */
  kill(): Promise<void>;
  /** Starts it again on its port. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
};

/** Resolves when it takes connections; `tls`: with client certificates only. */
export async function startMosquitto({
  tls = false,
  lines = [] as readonly string[],
} = {}): Promise<Mosquitto> {
  const home = await mkdtemp('/tmp/svc-mosquitto-');
  await chmod(home, 0o755);
  const port = await freePort();
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  await writeFile(cert, certificate.cert);
  await writeFile(key, certificate.key);
  await chmod(key, 0o644);
  const settings = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'max_queued_messages 0',
    ...(tls
      ? [`certfile ${cert}`, `keyfile ${key}`, `cafile ${cert}`, 'require_certificate true']
      : []),
    ...lines,
  ];
  const file = join(home, 'mosquitto.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  let child: ReturnType<typeof spawn> | null = null;
  const broker: Mosquitto = {
    port,
    url: `${tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`,
    async start() {
      child = spawn(PROGRAM, ['-c', file], { stdio: 'ignore' });
      for (const end = Date.now() + START_MS; Date.now() < end; await sleep(20)) {
        const socket = connect(port, '127.0.0.1');
        const isOpen = await once(socket, 'connect').then(
          () => true,
          () => false,
        );
        socket.destroy();
        if (isOpen) return;
      }
      throw new Error('mosquitto did not start');
    },
    async kill() {
      if (!child) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      child = null;
      await exited;
    },
    async stop() {
      await broker.kill();
      await rm(home, { recursive: true, force: true });
    },
  };
  await broker.start();
  return broker;
}
