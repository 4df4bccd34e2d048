import type { App } from '../../app.ts';
import type { Written } from './enqueue.ts';

/** Hands written notifications to the bus; what is lost here stays pending, and the sweeper finds it. */
export async function announceNotifications(
  app: App,
  tenantId: string,
  written: readonly Written[],
): Promise<void> {
  for (const { id: notifyHistoryId, channelId } of written)
    await app.bus
      .publish('svc.e.notify', { tenantId, notifyHistoryId, channelId }, { key: tenantId })
      .catch((error: unknown) => {
        app.log.warn({ error, notifyHistoryId }, 'a notification could not be announced');
      });
}
