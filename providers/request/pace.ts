import type { IncomingMessage } from 'node:http';

/** Reads of a body that are followed by the next at once: short answers are not held up. */
const FREE_READS = 4;
/** From one read to the next, after these. */
const TOGETHER_MS = 50;
/** Characters beyond which there may be more to read already. */
const LARGE = 16_384;

/**
 * Reads a long body 20 times a second, which still looks like a flow: a read, and the write that follows it, cost more
 * than all else that is done to a few words. The system holds what comes meanwhile.
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

  function rest(): void {
    if (response.destroyed || response.complete) return;
    // Also one that rests already: with more of the same read the response has asked for the next.
    response.socket.pause();
    if (rests) return;
    rests = true;
    // Not by the clock of the platform: when a socket is read is no time that its logic knows.
    if (timer) timer.refresh();
    else timer = setTimeout(goOn, TOGETHER_MS);
  }

  return {
    /** Runs `take` once a read is there: over TLS it comes record by record, each with ticks of its own. */
    whole(take: () => void): void {
      if (reads < FREE_READS) process.nextTick(take);
      else setImmediate(take);
    },
    /** Takes note of a read of so many characters that was taken. */
    taken(characters: number): void {
      reads += 1;
      if (reads > FREE_READS && characters < LARGE) rest();
    },
    stop(): void {
      if (timer) clearTimeout(timer);
      goOn();
    },
  };
}

export const isJson = (text: string): boolean => /^[\uFEFF\s]*[{[]/.test(text);

/** Tells of a body, part by part, whether it is an object or list and all its brackets are closed; of events it is none. */
export function wholeJson(): (part: string) => boolean {
  let isBegun = false;
  let isOther = false;
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (part) => {
    let isWhole = false;
    if (!isBegun && part.trim() !== '') {
      isBegun = true;
      isOther = !isJson(part);
    }
    if (isOther) return false;
    for (const sign of part) {
      if (isEscaped) isEscaped = false;
      else if (sign === '\\') isEscaped = isText;
      else if (sign === '"') isText = !isText;
      else if (isText) continue;
      else if (sign === '{' || sign === '[') depth += 1;
      else if (sign === '}' || sign === ']') depth -= 1;
      isWhole = depth === 0 && (isWhole || sign === '}' || sign === ']');
    }
    return isWhole;
  };
}
