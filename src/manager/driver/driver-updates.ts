import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { BATCH, deviceMessages, type Which } from './device-message.ts';
import { keepUnsent } from './unsent.ts';
import { keepSentVersion, nextVersion, versionOfRemoval } from './update-version.ts';

/** Sends devices to their drivers after a commit; answers how many. Throws when the bus fails. */
export async function sendDevices(app: App, tenantId: string, which: Which): Promise<number> {
  let sent = 0;
  for (let afterId = '0'; ;) {
    const from = afterId;
    const messages = await inTenant(app.db, tenantId, async (q) => {
      // Taken before the read: a message with a later version was read later.
      const version = await nextVersion(q);
      const found = await deviceMessages(q, app, tenantId, which, from);
      const deviceIds = found.map(({ device }) => device.id);
      await keepSentVersion(q, { tenantId, deviceIds, version });
      return found.map((one) => ({ ...one, version }));
    });
    for (const message of messages)
      await app.bus.publish('svc.e.metadata', message, { key: message.driverCode });
    sent += messages.length;
    const last = messages.at(-1);
    if (!last || messages.length < BATCH) return sent;
    afterId = last.device.id;
  }
}

/** Sends devices after a committed change; what the bus does not take is sent again (`resend`). */
export async function tellDrivers(app: App, tenantId: string, which: Which): Promise<void> {
  try {
    await sendDevices(app, tenantId, which);
  } catch (error) {
    app.log.warn({ tenantId, which, error }, 'device update not sent to drivers, retrying');
    keepUnsent(app, tenantId, which);
  }
}

/** Sends the removal of a device from a driver: it was deleted, or moved and not moved back meanwhile. */
export async function tellRemoved(
  app: App,
  { tenantId, deviceId, driverCode }: { tenantId: string; deviceId: string; driverCode: string },
): Promise<void> {
  try {
    const version = await inTenant(app.db, tenantId, (q) =>
      versionOfRemoval(q, tenantId, deviceId, driverCode),
    );
    if (version === null) return;
    const message = { kind: 'removed', driverCode, tenantId, deviceId, version } as const;
    await app.bus.publish('svc.e.metadata', message, { key: driverCode });
  } catch (error) {
    app.log.warn({ tenantId, deviceId, error }, 'device removal not sent to its driver, retrying');
    keepUnsent(app, tenantId, { removed: deviceId, driverCode });
  }
}
