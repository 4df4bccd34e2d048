import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';

/** Lines of their own in a minute, of one address and in all; what comes beyond is counted. */
const MAX_PER_HOST = 5;
const MAX_LINES = 50;
const MINUTE_MS = 60_000;

/** Tells of requests that were refused: the first of a minute by themselves, the rest as one number. */
type RefusalLog = {
  add(text: string, facts: { host: string } & Record<string, unknown>): void;
  /** One more that gets no line of its own. */
  count(): void;
  close(): void;
};

export function createRefusalLog(clock: Clock, log: Pick<Log, 'info' | 'warn'>): RefusalLog {
  let lines = 0;
  let counted = 0;
  const ofHost = new Map<string, number>();
  const stop = clock.every(MINUTE_MS, () => {
    if (counted > 0)
      log.warn({ refused: counted }, 'more requests were refused in the last minute');
    lines = 0;
    counted = 0;
    ofHost.clear();
  });

  return {
    add(text, facts) {
      const own = ofHost.get(facts.host) ?? 0;
      if (lines >= MAX_LINES || own >= MAX_PER_HOST) {
        counted += 1;
        return;
      }
      lines += 1;
      ofHost.set(facts.host, own + 1);
      log.info(facts, text);
    },
    count: () => void (counted += 1),
    close: stop,
  };
}
