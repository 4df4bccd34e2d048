import { Unavailable } from '../../kernel/errors.ts';
import { createQueue } from '../../kernel/queue.ts';
import { slot } from '../../kernel/slot.ts';

/**
 * More would not begin sooner: each takes two trips to a database of a few cores, and is itself work of one. The
 * embedded engine takes the trips of half of them together while the other half is prepared.
 */
const AT_ONCE = { postgres: 6, embedded: 16 };
const WAIT_MS = 30_000;

/** An answer that is complete waits so long for turns that begin. */
const END_WAIT_MS = 100;

/** Of many turns at once: which goes on first. */
export const TURN_SLOTS = slot((clock, engine) => {
  const atOnce = AT_ONCE[engine];
  const queue = createQueue(clock, {
    atOnce,
    waitMs: WAIT_MS,
    refusal: () => new Unavailable('Too many answers begin at once; try again in a moment'),
  });
  const held = new Set<() => void>();
  let begun = 0;
  return {
    /**
     * Runs what a turn does from what it reads to its stored question. Of many that come at once each goes on to its
     * model as soon as it can: side by side, all of them would wait for the trips of all others.
     */
    async start<T>(work: () => Promise<T>): Promise<T> {
      begun += 1;
      try {
        return await queue(work);
      } finally {
        begun -= 1;
        if (begun <= atOnce) for (const go of held) go();
      }
    },
    /** Runs what is done once all of an answer is sent, after the turns that wait for their start. */
    async end<T>(work: () => Promise<T>): Promise<T> {
      if (begun > atOnce) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const cancel = clock.after(END_WAIT_MS, resolve);
        held.add(resolve);
        await promise;
        held.delete(resolve);
        cancel();
      }
      return work();
    },
  };
});
