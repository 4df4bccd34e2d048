import type { IncomingMessage } from 'node:http';

/** Reads of a body that are followed by the next at once: short answers are not held up. */
const FREE_READS = 4;
/** From one read to the next, after these. */
const TOGETHER_MS = 40;
/** Characters beyond which there may be more to read already. */
const LARGE = 16_384;

/**
 * Reads a long body 25 times a second, as smooth as a film: a read, and the write that follows it, cost more than all
 * else that is done to a few words. The system holds what comes meanwhile.
 */
export function paceOf(response: IncomingMessage) {
  let reads = 0;
  let timer: NodeJS.Timeout | null = null;
  let rests = false;

  function goOn(): void {
    if (!rests) return;
    rests = false;
    // A response that has ended has none.
    response.socket?.resume();
  }

  /** After the ticks of the read, in which the response asks for more. */
  function rest(): void {
    if (rests || response.destroyed || response.complete) return;
    rests = true;
    response.socket.pause();
    // Not by the clock of the platform: when a socket is read is no time that its logic knows.
    if (timer) timer.refresh();
    else timer = setTimeout(goOn, TOGETHER_MS);
  }

  return {
    /** Takes note of a read of so many characters. */
    read(characters: number): void {
      reads += 1;
      if (reads > FREE_READS && characters < LARGE) process.nextTick(rest);
    },
    stop(): void {
      if (timer) clearTimeout(timer);
      goOn();
    },
  };
}
