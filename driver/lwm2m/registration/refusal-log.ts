import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';

/** Refusals logged in a minute, for one address and in all; further ones are counted. */
const MAX_PER_HOST = 5;
const MAX_LINES = 50;
const MINUTE_MS = 60_000;

/** Logs refused requests: the first of a minute each on its own line, the rest as one number. */
export type RefusalLog = {
  add(text: string, facts: { host: string } & Record<string, unknown>): void;
  /** Counts a refusal without a line of its own. */
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
