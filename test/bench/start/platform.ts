import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { freePort } from '../../support/neighbours/free-port.ts';
import { start, stop } from '../process.ts';
import { untilReady } from './ready.ts';

const Package = z.object({ scripts: z.object({ start: z.string() }) });

/** After this the heap of a start has been collected and its threads have ended. */
const SETTLED_MS = 6_000;

/** A start: seconds from running what `npm start` runs to the first 200 of `/readyz`. */
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
    ...(await startScript(tree)),
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

/** What `npm start` runs there, without npm: its options of node and its arguments. */
async function startScript(tree: URL) {
  const cwd = fileURLToPath(tree);
  const { scripts } = Package.parse(JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')));
  const [node, ...words] = scripts.start.match(/"[^"]*"|\S+/g)?.map(unquoted) ?? [];
  const script = words.indexOf('src/main.ts');
  if (node !== 'node' || script < 0) throw new Error(`npm start is ${scripts.start}`);
  return { cwd, options: words.slice(0, script), args: words.slice(script + 1) };
}

const unquoted = (word: string): string => word.replaceAll('"', '');

/** What the kernel counts as resident, shared pages of the node binary included; Linux only. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
