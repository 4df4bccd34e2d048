import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../../support/neighbours/free-port.ts';
import { start, stop } from '../process.ts';
import { untilReady } from './ready.ts';

/** After this the heap of a start has been collected and its threads have ended. */
const SETTLED_MS = 6_000;

/** A start: seconds from `serve` to the first 200 of `/readyz`. */
export async function startOf(tree: URL, data: Record<string, string>): Promise<number> {
  return (await run(tree, data, async () => {})).seconds;
}

/** The same, and the resident memory in MB of the process that then does nothing. */
export async function settledStartOf(tree: URL, data: Record<string, string>) {
  const { seconds, seen } = await run(tree, data, async (pid) => {
    await sleep(SETTLED_MS);
    return residentMb(pid);
  });
  return { seconds, megabytes: seen };
}

async function run<T>(tree: URL, data: Record<string, string>, look: (pid: number) => Promise<T>) {
  const port = await freePort();
  const began = performance.now();
  const child = start(new URL('src/main.ts', tree), {
    args: ['serve'],
    env: {
      SVC_ENV: 'test',
      SVC_DEMO: 'off',
      SVC_PORT: String(port),
      LWM2M_HOST: '127.0.0.1',
      LWM2M_PORT: '0',
      SVC_SECRET_KEY: 'bench-secret-key-0123456789-0123456789',
      AUTH_HMAC_SECRET: 'bench-hmac-secret',
      SVC_ADMIN_PASSWORD: 'correct horse 42',
      ...data,
    },
  });
  try {
    await untilReady(child, port);
    const seconds = (performance.now() - began) / 1_000;
    if (child.pid === undefined) throw new Error('no process');
    return { seconds, seen: await look(child.pid) };
  } finally {
    await stop(child);
  }
}

/** What the kernel counts as resident, shared pages of the node binary included; Linux only. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
