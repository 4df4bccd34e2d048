import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { Reported, ValuePublisher } from '../values.ts';

const FLUSH_AFTER_MS = 100;
const FLUSH_AT = 500;
const MAX_WAITING = 10_000;
/** A device that sends without end leaves room for the others. */
const MAX_WAITING_OF_DEVICE = 2_000;

/** Collects values that devices send on their own into batches; when full the newest are dropped. */
export function createReportBuffer({
  values,
  clock,
  log,
}: {
  values: ValuePublisher;
  clock: Clock;
  log: Log;
}): { add(reported: Reported): void; close(): Promise<void> } {
  let waiting: Reported[] = [];
  let ofDevice = new Map<string, number>();
  let dropped = 0;
  let sending: Promise<void> = Promise.resolve();
  let busy = false;
  let cancelTimer: (() => void) | null = null;

  async function send(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      ofDevice = new Map();
      try {
        await values.publish(batch);
      } catch (error) {
        log.warn({ values: batch.length, error }, 'reported values could not be delivered');
      }
      if (dropped > 0) log.warn({ dropped }, 'reported values were dropped: too many at once');
      dropped = 0;
    }
    busy = false;
  }

  function flush(): void {
    cancelTimer?.();
    cancelTimer = null;
    if (!busy) sending = send();
  }

  return {
    add(reported) {
      const { id } = reported.device;
      const own = ofDevice.get(id) ?? 0;
      if (waiting.length >= MAX_WAITING || own >= MAX_WAITING_OF_DEVICE) {
        dropped += 1;
        return;
      }
      ofDevice.set(id, own + 1);
      waiting.push(reported);
      if (waiting.length >= FLUSH_AT) flush();
      else cancelTimer ??= clock.after(FLUSH_AFTER_MS, flush);
    },
    async close() {
      flush();
      await sending;
    },
  };
}
