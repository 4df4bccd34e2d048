import type { Queries } from '../../db/connect.ts';
import { acrossTenantsWithin } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { revokeTokens } from '../credential/denylist.ts';
import { demandAll, loadCodes } from '../permission/permission.ts';
import { isPlatform } from '../permission/platform.ts';

/** A member of the tenant; NotFound (404) for any other principal, existing or not. */
export async function requireMember(q: Queries, tenantId: string, principalId: string) {
  const principal = await q
    .selectFrom('svc_principal')
    .innerJoin('svc_tenant_membership as membership', 'membership.principalId', 'svc_principal.id')
    .selectAll('svc_principal')
    .where('membership.tenantId', '=', tenantId)
    .where('svc_principal.id', '=', principalId)
    .executeTakeFirst();
  if (!principal) throw new NotFound('Principal');
  return principal;
}

/** The ids of all tenants the principal is a member of, ascending. */
export async function tenantsOf(q: Queries, principalId: string): Promise<string[]> {
  const rows = await acrossTenantsWithin(q, 'account', () =>
    q
      .selectFrom('svc_tenant_membership')
      .select('tenantId')
      .where('principalId', '=', principalId)
      .orderBy('tenantId')
      .execute(),
  );
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * The tenants that a change of this principal affects. Throws Forbidden (403) when the principal holds
 * permissions the caller lacks, or belongs to other tenants and the caller is not of the platform: with a
 * new password the caller could use all its permissions, in every tenant.
 */
export async function demandMayChange(
  q: Queries,
  caller: Caller,
  principalId: string,
): Promise<string[]> {
  const tenants = await tenantsOf(q, principalId);
  const others = tenants.filter((tenantId) => tenantId !== caller.tenantId);
  if (others.length > 0 && !(await isPlatform(q, caller))) {
    throw new Forbidden('The principal belongs to other tenants as well');
  }
  for (const tenantId of tenants) {
    demandAll(
      caller,
      await acrossTenantsWithin(q, 'account', () => loadCodes(q, tenantId, principalId)),
    );
  }
  return tenants;
}

/** Throws Conflict (409) while service accounts or OAuth clients have the principal as their owner. */
export async function refuseWhileOwner(
  q: Queries,
  tenantId: string,
  principalId: string,
): Promise<void> {
  const account = await q
    .selectFrom('svc_service_account')
    .select('serviceAccountName')
    .where('tenantId', '=', tenantId)
    .where('ownerPrincipalId', '=', principalId)
    .executeTakeFirst();
  if (account) {
    throw new Conflict(
      `The service account ${quoted(account.serviceAccountName)} belongs to this principal`,
    );
  }
  const client = await q
    .selectFrom('svc_oauth_client')
    .select('clientName')
    .where('tenantId', '=', tenantId)
    .where('ownerPrincipalId', '=', principalId)
    .executeTakeFirst();
  if (client)
    throw new Conflict(`The OAuth client ${quoted(client.clientName)} belongs to this principal`);
}

/** Revokes the logins and tokens issued to the principal in these tenants so far. */
export async function revokeIn(
  app: App,
  q: Queries,
  tenants: readonly string[],
  principalId: string,
): Promise<void> {
  const now = app.clock.now();
  await acrossTenantsWithin(q, 'account', async () => {
    for (const tenantId of tenants) await revokeTokens(q, tenantId, principalId, now);
  });
}
