import { request as secureRequest } from 'node:https';

import type { Clock } from '../../kernel/clock.ts';
import type { Center } from '../../kernel/process/layout.ts';
import { request as plainRequest } from '../../kernel/request/http.ts';
import type { Dependency } from './health.ts';

const ANSWER_MS = 1_900;
/** `/readyz` is open to anybody: however often it is asked here, a center is asked once a second. */
const KEPT_MS = 1_000;

/** The center at `base` as something that its gateway cannot do without; ready when its `/readyz` says so. */
export function centerReadiness(clock: Clock, center: Center, base: string): Dependency {
  const name = `${center} center`;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(false);
  return {
    name,
    async missing() {
      const now = clock.now();
      if (now - askedAt >= KEPT_MS || now < askedAt) {
        askedAt = now;
        asked = isReady(base);
      }
      return (await asked) ? [] : [name];
    },
  };
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
