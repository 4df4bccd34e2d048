/** One job for each of many devices, a bounded number of them at a time; none runs twice at the same time. */
export type Turns = {
  /** Puts these behind those that were heard; they replace what waited from before. */
  next(ids: Iterable<string>): void;
  /** Puts this one before all others, and once more where its job is under way. */
  heard(id: string): void;
  stop(): void;
};

export function createTurns(
  atOnce: number,
  /** Never rejects. */
  job: (id: string, isHeard: boolean) => Promise<void>,
): Turns {
  const busy = new Set<string>();
  const urgent = new Set<string>();
  let waiting: Iterator<string> = [].values();
  let stopped = false;

  function take(): { id: string; isHeard: boolean } | null {
    for (const id of urgent) if (!busy.has(id) && urgent.delete(id)) return { id, isHeard: true };
    for (;;) {
      const { done, value: id } = waiting.next();
      if (done) return null;
      if (!busy.has(id)) return { id, isHeard: false };
    }
  }

  function pump(): void {
    while (busy.size < atOnce) {
      const turn = stopped ? null : take();
      if (!turn) return;
      busy.add(turn.id);
      void job(turn.id, turn.isHeard).finally(() => {
        busy.delete(turn.id);
        pump();
      });
    }
  }

  return {
    next(ids) {
      waiting = [...ids].values();
      pump();
    },
    heard(id) {
      urgent.add(id);
      pump();
    },
    stop() {
      stopped = true;
    },
  };
}
