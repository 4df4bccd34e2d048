import type { App } from '../../kernel/app/app.ts';
import { keyOf, type Pair } from '../value/pair.ts';

/**
 * Announces points whose latest value may have changed, after the commit. Never throws: a notice is lost then, and
 * storing goes on.
 */
export async function announceLatest(
  app: App,
  tenantId: string,
  pairs: readonly Pair[],
): Promise<void> {
  if (pairs.length === 0) return;
  const message = { tenantId, points: pairs.map(keyOf) };
  try {
    await app.bus.publish('svc.e.latest', message, { key: tenantId, urgent: true });
  } catch (error) {
    app.log.debug({ error, tenantId }, 'new latest values were not announced');
  }
}
