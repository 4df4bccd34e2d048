import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { deleteDue } from './deletion-run.ts';
import { sweepDue } from './retention-run.ts';

const EVERY_MS = 10_000;

/** Goes on with what people delete, and deletes what classes keep no longer, every ten seconds until stopped; `stop` waits for a slice that is under way. */
export function startRetention(app: App): { stop(): Promise<void> } {
  const ending = new AbortController();
  const sweeper = startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'stored values could not be deleted, retrying' },
    async () => {
      await deleteDue(app, ending.signal);
      await sweepDue(app, ending.signal);
    },
  );
  return {
    stop() {
      ending.abort();
      return sweeper.stop();
    },
  };
}
