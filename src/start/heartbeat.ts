import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/process/config.ts';
import type { Log } from '../kernel/process/log.ts';
import { request } from '../kernel/request/http.ts';

const EVERY_MS = 60_000;
const ANSWER_MS = 10_000;
const READY_MS = 5_000;

type Process = { config: Pick<Config, 'heartbeatUrl' | 'host'>; clock: Clock; log: Log };

/**
 * Sends an empty POST to an address at the start and once a minute while `/readyz` at each of the ports says ready. What watches it notices a
 * process, a machine or a network that is gone, of which nothing here could tell.
 */
export function startHeartbeat(
  { config, clock, log }: Process,
  ports: readonly number[],
): { stop(): Promise<void> } {
  const { heartbeatUrl: url } = config;
  // A process that listens on every address is asked at loopback.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
  if (url === null) return { stop: async () => {} };
  let wasSent = true;
  let sending = Promise.resolve();
  const beat = async (): Promise<void> => {
    const ready = await Promise.all(ports.map((port) => isReady(host, port)));
    if (ready.includes(false)) return;
    const reason = await send(url);
    if (reason !== null && wasSent) log.warn({ reason }, 'the heartbeat could not be sent');
    if (reason === null && !wasSent) log.info({}, 'the heartbeat is sent again');
    wasSent = reason === null;
  };
  const begin = (): void => void (sending = beat());
  begin();
  const cancel = clock.every(EVERY_MS, begin);
  return {
    async stop() {
      cancel();
      await sending;
    },
  };
}

/** Null when it was taken, else why not, without the address. The operator's own setting needs no egress guard. */
async function send(url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { method: 'POST', signal, redirect: 'manual' });
    await answer.body?.cancel();
    return answer.ok ? null : `the receiver answered ${answer.status}`;
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError'
      ? `no answer within ${ANSWER_MS} ms`
      : 'no connection';
  }
}

function isReady(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request({ host, port, path: '/readyz', signal: AbortSignal.timeout(READY_MS) })
    .on('error', () => resolve(false))
    .on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    })
    .end();
  return promise;
}
