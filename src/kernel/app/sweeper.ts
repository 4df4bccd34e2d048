import type { App } from './app.ts';

type Often = { everyMs: number; /** The line of a run that failed. */ failed: string };

/** Calls `sweep` every so often until stopped, also after a run that failed; `stop` waits for a run that is under way. */
export function startSweeper(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  { everyMs, failed }: Often,
  sweep: () => Promise<void>,
): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const cancel = clock.every(everyMs, () => {
    running = sweep().catch((error: unknown) => {
      log.error({ error }, failed);
    });
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}
