import type { Log } from '../kernel/process/log.ts';

type Part = { stop(): Promise<unknown> };

/** The started components, stopped in the reverse order. */
export type Parts = {
  add<P extends Part>(part: P): P;
  /** Stops each component once; a failure is logged and does not keep the others from stopping. */
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
          .catch((error: unknown) => log.error({ error }, 'component not stopped cleanly'));
    },
  };
}
