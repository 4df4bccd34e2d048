import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/log/log.ts';
import type { DtlsCounters } from '../dtls/contract.ts';

const MINUTE_MS = 60_000;
const REFUSALS = ['unproven', 'limited', 'wrongCookies', 'forged', 'replayed'] as const;

/**
 * Logs once a minute what a DTLS server refused in it, as such peers get no answer: `unproven` are handshakes with an
 * unknown identity or a wrong key. Returns how to stop.
 */
export function logRefusedHandshakes(
  counters: Readonly<Pick<DtlsCounters, (typeof REFUSALS)[number]>>,
  clock: Clock,
  log: Pick<Log, 'warn'>,
): () => void {
  let before = { ...counters };
  return clock.every(MINUTE_MS, () => {
    const now = { ...counters };
    const counts = REFUSALS.map((name) => [name, now[name] - before[name]] as const);
    before = now;
    const refused = counts.filter(([, count]) => count > 0);
    if (refused.length > 0)
      log.warn(Object.fromEntries(refused), 'DTLS handshakes or records were refused');
  });
}
