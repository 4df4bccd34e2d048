import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { BREAK_MS, listeningTo, pauseSince } from '../../manager/driver/listening.ts';
import { scanHeld } from './held.ts';
import { createSilenceScan } from './no-data.ts';
import { scanOutages } from './outage.ts';
import { endSilences } from './silence-scan.ts';

/**
 * Scans for silences that are over, hold times, ended leases and silent points; all but the first limited to the time in
 * which the platform could receive: no lease and no hold time ends while it cannot, and no point is silent until values
 * were received for the duration of the rule.
 */
export function createScan(app: App): () => Promise<void> {
  /** The last time at which heartbeats could be stored, as the previous scan read it. */
  let lastAlive: number | null = null;
  const scanSilence = createSilenceScan(app);
  return async () => {
    await endSilences(app);
    const before = lastAlive;
    // After a failed scan the previous time is unknown.
    lastAlive = null;
    const [states, values] = await acrossTenants(app.db, 'sweeper', async (q) => [
      await listeningTo(q, 'state'),
      await listeningTo(q, 'value'),
    ]);
    if (states && !states.isPaused) {
      lastAlive = states.aliveAt;
      if (before === states.aliveAt) await pauseSince(app, 'state', before);
      else if (before !== null) {
        await scanHeld(app, 'state');
        await scanOutages(app);
      }
    }
    // After a standstill of the process the scan may come before the look that finds the break.
    if (values && !values.isPaused && app.clock.now() - values.aliveAt <= BREAK_MS) {
      await scanHeld(app, 'value');
      await scanSilence(values.breaks);
    }
  };
}
