import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { accountIdOf } from '../account.ts';

type Issued = { clientId: string; tenantId: string; principalId: string };

/**
 * Deletes all that a client was issued for a principal: its own tokens, and the grants of a person with their codes and
 * tokens. A refresh token ends too, as RFC 7009 has it for a grant that is revoked. In a transaction over all tenants.
 */
export async function endIssued(q: Queries, { clientId, ...principal }: Issued): Promise<void> {
  const ofClient = sql<boolean>`payload ->> 'clientId' = ${clientId}`;
  const grants = q
    .selectFrom('svc_oauth_store')
    .select('id')
    .where('kind', '=', 'Grant')
    .where('uid', '=', accountIdOf(principal))
    .where(ofClient);
  await q
    .deleteFrom('svc_oauth_store')
    .where((row) =>
      row.or([
        // A client that acts for a service account acts for no other.
        row.and([row('kind', '=', 'ClientCredentials'), ofClient]),
        row('grantId', 'in', grants),
        row.and([row('kind', '=', 'Grant'), row('id', 'in', grants)]),
      ]),
    )
    .execute();
}
