import type { App } from '../../kernel/app/app.ts';
import type { Attended } from './attend.ts';

/**
 * Publishes written notifications to the bus and logs suppressed ones; a notification that the bus loses
 * stays PENDING until the sweeper finds it.
 */
export async function announceNotifications(
  app: App,
  tenantId: string,
  { written, suppressed }: Attended,
): Promise<void> {
  if (suppressed.length > 0) app.log.info({ tenantId, suppressed }, 'notifications suppressed');
  for (const { id: notifyHistoryId, channelId } of written)
    await app.bus
      .publish('svc.e.notify', { tenantId, notifyHistoryId, channelId }, { key: tenantId })
      .catch((error: unknown) => {
        app.log.warn({ error, notifyHistoryId }, 'notification not published, left to the sweeper');
      });
}

/** Those of several alarms of a tenant together. */
export const combined = (some: readonly Attended[]): Attended => ({
  written: some.flatMap(({ written }) => written),
  suppressed: some.flatMap(({ suppressed }) => suppressed),
});
