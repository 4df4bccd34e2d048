import type { App } from '../../app.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { listeningTo, pauseSince } from '../../manager/driver/listening.ts';
import { scanSilence } from './no-data.ts';
import { scanOutages } from './outage.ts';

/**
 * One look for leases that ended and points that fell silent, as far as the platform could hear: while
 * heartbeats cannot be stored no lease ends, and before values were heard for as long as a rule
 * says no point is silent.
 */
export function createScan(app: App): () => Promise<void> {
  /** When heartbeats could be stored, as the scan before found it. */
  let lastAlive: number | null = null;
  return async () => {
    const before = lastAlive;
    // After a scan that failed it is not known what went on meanwhile.
    lastAlive = null;
    const [states, values] = await acrossTenants(app.db, 'sweeper', async (q) => [
      await listeningTo(q, 'state'),
      await listeningTo(q, 'value'),
    ]);
    if (states && !states.isPaused) {
      lastAlive = states.aliveAt;
      if (before === states.aliveAt) await pauseSince(app, 'state', before);
      else if (before !== null) await scanOutages(app);
    }
    if (values && !values.isPaused) await scanSilence(app, values.sinceAt);
  };
}
