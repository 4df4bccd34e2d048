import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';

/** default_flag of providers and model configs. */
export const DefaultFlag = { NOT_DEFAULT: 0, DEFAULT: 1 } as const;

type Table = 'svc_model_provider' | 'svc_model_config';

/**
 * Clears the tenant's present default, to make room for a new one. A concurrent change of the default waits
 * until this transaction ends.
 */
export async function clearDefault(q: Queries, table: Table, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`default ${table} ${tenantId}`}, 0))`.execute(
    q,
  );
  await q
    .updateTable(table)
    .set({ defaultFlag: DefaultFlag.NOT_DEFAULT })
    .where('tenantId', '=', tenantId)
    .where('defaultFlag', '=', DefaultFlag.DEFAULT)
    .execute();
}
