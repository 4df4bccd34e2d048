import type { App } from '../../kernel/app/app.ts';
import type { Written } from './enqueue.ts';

/**
 * Publishes written notifications to the bus and logs suppressed ones; a notification that the bus loses
 * stays PENDING until the sweeper finds it.
 */
export async function announceNotifications(
  app: App,
  tenantId: string,
  written: readonly Written[],
): Promise<void> {
  for (const one of written) {
    if ('suppressed' in one) {
      app.log.info({ tenantId, ...one }, 'notifications suppressed');
      continue;
    }
    const { id: notifyHistoryId, channelId } = one;
    await app.bus
      .publish('svc.e.notify', { tenantId, notifyHistoryId, channelId }, { key: tenantId })
      .catch((error: unknown) => {
        app.log.warn({ error, notifyHistoryId }, 'notification not published, left to the sweeper');
      });
  }
}
