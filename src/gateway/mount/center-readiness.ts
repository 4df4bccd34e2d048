import { request as secureRequest } from 'node:https';

import type { Clock } from '../../kernel/clock.ts';
import type { Center } from '../../kernel/process/layout.ts';
import { request as plainRequest } from '../../kernel/request/http.ts';
import type { Dependency } from './health.ts';

const ANSWER_MS = 1_900;
/** `/readyz` is open to anybody: however often it is asked here, a center is asked once a second. */
const KEPT_MS = 1_000;

/** A center as something that its gateway cannot do without; ready when `/readyz` at one of its addresses says so. */
export function centerReadiness(
  clock: Clock,
  center: Center,
  bases: readonly string[],
): Dependency {
  const name = `${center} center`;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(false);
  return {
    name,
    async missing() {
      const now = clock.now();
      if (now - askedAt >= KEPT_MS || now < askedAt) {
        askedAt = now;
        asked = oneIsReady(bases);
      }
      return (await asked) ? [] : [name];
    },
  };
}

/** As soon as one is; false when none is. */
function oneIsReady(bases: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const all = bases.map(async (base) => {
    const ready = await isReady(base);
    if (ready) resolve(true);
  });
  void Promise.all(all).then(() => resolve(false));
  return promise;
}

function isReady(base: string): Promise<boolean> {
  const { protocol, hostname, port, pathname } = new URL(base);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asking = (protocol === 'https:' ? secureRequest : plainRequest)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: `${pathname.replace(/\/$/, '')}/readyz`,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  asking
    .on('error', () => resolve(false))
    .on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    })
    .end();
  return promise;
}
