import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';

type Bound = { kind: string; until: Date; ofSource: number; ofAll: number };

/**
 * Deletes the rows of a kind, up to an expiry, that callers without a login stored beyond what is kept of a source and
 * of all together: the oldest of the busiest sources first, so that a flood takes no place of others. In a transaction
 * over all tenants.
 */
export const boundRows = (q: Queries, { kind, until, ofSource, ofAll }: Bound): Promise<unknown> =>
  sql`
    delete from svc_oauth_store where kind = ${kind} and id in (
      select id from (
        -- Age 1 is the newest row of each source, 2 the one before it.
        select id, age, row_number() over (order by age, expires_at desc, id) as place from (
          select id, expires_at,
            row_number() over (partition by source order by expires_at desc, id) as age
          from svc_oauth_store
          where kind = ${kind} and source is not null and expires_at <= ${until}) aged) placed
      where age > ${ofSource} or place > ${ofAll})`.execute(q);
