import type { Log } from './core/log/log.ts';

type Part = { stop(): Promise<unknown> };

/** What was started, to be stopped in the reverse order. */
export type Parts = {
  add<P extends Part>(part: P): P;
  /** Stops all once; a part that fails to is logged and does not keep the others from it. */
  stop(): Promise<void>;
};

export function createParts(log: Log): Parts {
  const parts: Part[] = [];
  return {
    add(part) {
      parts.push(part);
      return part;
    },
    async stop() {
      for (const part of parts.splice(0).toReversed())
        await part
          .stop()
          .catch((error: unknown) => log.error({ error }, 'a part did not stop cleanly'));
    },
  };
}
