import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { Id } from '../../../kernel/input/id.ts';
import { accountStatus } from '../../credential/account-status.ts';
import { isRevoked } from '../../credential/denylist.ts';

/** A user in one tenant. */
type Person = { tenantId: string; principalId: string };
export type Account = Person & { accountId: string; tenantCode: string; loginName: string };

/** The id of a user in a tenant at the authorization server. */
export const accountIdOf = ({ tenantId, principalId }: Person): string =>
  `${tenantId}.${principalId}`;

export function personOf(accountId: string): Person | undefined {
  const [tenantId, principalId, ...more] = accountId.split('.');
  const parts = z.tuple([Id, Id]).safeParse([tenantId, principalId]);
  if (!parts.success || more.length > 0) return undefined;
  return { tenantId: parts.data[0], principalId: parts.data[1] };
}

/**
 * The user behind an account id; undefined when the account is no longer active, or was logged out after
 * the login or the grant that `since` names.
 */
export async function findAccount(
  app: App,
  accountId: string,
  since: { issuedMs: number } | { grantId: string },
): Promise<Account | undefined> {
  const person = personOf(accountId);
  if (!person) return undefined;
  return acrossTenants(app.db, 'oauth', async (q) => {
    const issuedMs = 'issuedMs' in since ? since.issuedMs : await grantedMs(q, since.grantId);
    const found = await accountStatus(q, person.tenantId, person.principalId);
    if (!found || issuedMs === undefined || isRevoked(issuedMs, found.revokedBeforeMs)) {
      return undefined;
    }
    return { ...person, accountId, tenantCode: found.tenantCode, loginName: found.loginName };
  });
}

const Granted = z.object({ issuedMs: z.number() });

/** When the user gave a grant (ms since the epoch); undefined once its row is deleted. */
export async function grantedMs(q: Queries, grantId: string): Promise<number | undefined> {
  const row = await q
    .selectFrom('svc_oauth_store')
    .select('payload')
    .where('kind', '=', 'Grant')
    .where('id', '=', grantId)
    .executeTakeFirst();
  return Granted.safeParse(row?.payload).data?.issuedMs;
}
