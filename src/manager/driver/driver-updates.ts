import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { BATCH, deviceMessages, type Which } from './device-message.ts';

const MAX_UNSENT = 10_000;

const UNSENT_UPDATES = slot(() => ({ news: new Map<string, Unsent>(), isAll: false }));

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

/** An update that the bus did not take, by subject. */
type Unsent = { tenantId: string; about: Which | { removed: string; driverCode: string } };

/** Beyond the bound an update is not kept: all drivers register again instead. */
export function keepUnsent(app: App, tenantId: string, about: Unsent['about']): void {
  const { news } = app.of(UNSENT_UPDATES);
  if (news.size >= MAX_UNSENT) keepAllUnsent(app);
  else news.set(JSON.stringify([tenantId, about]), { tenantId, about });
}

/** Marks that every driver has to be asked to register again. */
export function keepAllUnsent(app: App): void {
  app.of(UNSENT_UPDATES).isAll = true;
}

/** Sends all waiting updates once; both callbacks keep what they cannot send. */
export async function resend(
  app: App,
  send: { news: (news: Unsent) => Promise<void>; all: () => Promise<void> },
): Promise<void> {
  const unsent = app.of(UNSENT_UPDATES);
  const waiting = [...unsent.news.values()];
  unsent.news.clear();
  const { isAll } = unsent;
  unsent.isAll = false;
  for (const news of waiting) await send.news(news);
  if (isAll) await send.all();
}

/** A version later than all before it, over all processes. */
export async function nextVersion(q: Queries): Promise<number> {
  const { rows } = await sql<{ version: string }>`
    select nextval('svc_metadata_version') as version`.execute(q);
  return Number(rows[0]?.version);
}

/** Version of a device's removal from a driver; null when that driver has the device, again or still. */
async function versionOfRemoval(
  q: Queries,
  tenantId: string,
  deviceId: string,
  driverCode: string,
): Promise<number | null> {
  const version = await nextVersion(q);
  const row = await q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select('d.id')
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', deviceId)
    .where('v.driverCode', '=', driverCode)
    .executeTakeFirst();
  return row ? null : version;
}

/** Stores the version that the drivers of these devices were sent. */
async function keepSentVersion(
  q: Queries,
  {
    tenantId,
    deviceIds,
    version,
  }: { tenantId: string; deviceIds: readonly string[]; version: number },
): Promise<void> {
  if (deviceIds.length === 0) return;
  // Locked in order of id, so that two calls never wait for each other.
  await sql`
    update svc_device d set metadata_version = ${version}
    from (select id from svc_device where tenant_id = ${tenantId} and id = any(${[...deviceIds]}::bigint[])
      order by id for no key update) sent
    where d.tenant_id = ${tenantId} and d.id = sent.id and d.metadata_version < ${version}`.execute(
    q,
  );
}
