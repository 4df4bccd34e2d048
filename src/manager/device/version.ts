import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';

/** A tenant and the version of its drivers, devices, points and rules (sql/0256_version.sql). */
export type DeviceVersion = { readonly tenantId: string; readonly version: string };

/** SQLSTATE of `svc_require_device_version`; its message is the present version. */
const OUTDATED = 'SV002';
/** Frees the tenants that report nothing any more. */
const KEPT_MS = 300_000;
const MAX_TENANTS = 10_000;
const MAX_ATTEMPTS = 10;

/** The versions of tenants when they were last seen. */
const DEVICE_VERSIONS = slot((clock) => new TtlCache<string>(clock, KEPT_MS, MAX_TENANTS));

/**
 * Runs `work` at the version that was last seen, and again at the present one when a transaction of `work` refuses
 * it (`requirePresent`): nothing of that transaction was done. All that `work` takes from memory has to be of the
 * version it is given.
 */
export async function atDeviceVersion<T>(
  app: App,
  tenantId: string,
  work: (at: DeviceVersion) => Promise<T>,
): Promise<T> {
  const deviceVersions = app.of(DEVICE_VERSIONS);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const version =
      deviceVersions.get(tenantId) ??
      (await inOneTrip(app.db, tenantId, (q) => presentVersion(q, tenantId)));
    deviceVersions.set(tenantId, version);
    try {
      return await work({ tenantId, version });
    } catch (error) {
      if (!isOutdated(error)) throw error;
      deviceVersions.set(tenantId, error.message);
    }
  }
  throw new Unavailable('The devices of this tenant change faster than values can be stored');
}

/** The version at the beginning of the transaction's next query. */
async function presentVersion(q: Queries, tenantId: string): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select svc_device_version(${tenantId}) as version`.execute(q);
  return rows[0]?.version ?? '';
}

/** Fails the transaction unless the version is the present one. */
export async function requirePresent(q: Queries, at: DeviceVersion): Promise<void> {
  await sql`select svc_require_device_version(${at.tenantId}, ${at.version})`.execute(q);
}

const isOutdated = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === OUTDATED;
