import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { Unavailable } from '../../kernel/errors.ts';

/** A closer waits so long for the writers of late values; those that come after it wait behind it. */
const LOCK_WAIT_MS = 2_000;

const keyOf = (tenantId: string) => sql`hashtextextended(${`closed hours ${tenantId}`}::text, 0)`;

/** Until the end of the transaction no hour of the tenant is closed; several transactions may have it so. */
export const shareHours = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock_shared(${keyOf(tenantId)})`.execute(q);

/**
 * Until the end of the transaction no late value of the tenant is stored but in it. Throws Unavailable where the writers
 * of some do not end in time.
 */
export const lockHours = (q: Queries, tenantId: string) =>
  Promise.all([
    sql`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`.execute(q),
    sql`select pg_advisory_xact_lock(${keyOf(tenantId)})`.execute(q),
  ]);

/** SQLSTATE lock_not_available */
const LOCKED = '55P03';

/** What `work`, which calls `lockHours`, answers; false where the writers of late values did not end in time. */
export async function unlessLocked<T>(work: () => Promise<T>): Promise<T | false> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Unavailable ? error.cause : null;
    if (cause instanceof Error && 'code' in cause && cause.code === LOCKED) return false;
    throw error;
  }
}
