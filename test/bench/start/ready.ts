import type { ChildProcess } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 10;

/** Asks `/readyz` until it answers 200; throws when the process ends or a minute has passed. */
export async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = AbortSignal.timeout(LIMIT_MS);
  while ((await statusOf(port)) !== 200) {
    deadline.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error('the platform ended before it was ready');
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** The status of `/readyz`; null while nobody listens. */
function statusOf(port: number): Promise<number | null> {
  const answer = Promise.withResolvers<number | null>();
  get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: 5_000 }, (response) => {
    response.resume();
    answer.resolve(response.statusCode ?? null);
  })
    .on('error', () => answer.resolve(null))
    .on('timeout', () => answer.resolve(null));
  return answer.promise;
}
