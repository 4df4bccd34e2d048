import type { App, Caller } from '../../app.ts';
import { Conflict, Forbidden, NotFound } from '../../core/errors.ts';
import { quoted } from '../../core/sentence/voice.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenantsWithin } from '../../db/tenant.ts';
import { demandAll, forgetPermissions, loadCodes } from '../rights/permission.ts';
import { isPlatform } from '../rights/platform.ts';
import { revokeTokens } from '../token/denylist.ts';
import { forgetTokens } from '../token/token-cache.ts';

/** A principal that is a member of the tenant; NotFound (404) for any other, there or not. */
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

/** Every tenant the principal is a member of, in the order of ids. */
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
 * The tenants a change of this principal reaches. Throws Forbidden (403) when he holds more than the
 * caller, or belongs to other tenants while the caller is not of the platform: whoever can set
 * somebody's password or switch him off has his rights, there too.
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

/** Throws Conflict (409) while accounts or OAuth clients name the principal as their owner. */
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

/** Ends, in these tenants, what was issued to the principal so far. */
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

/** Lets a change of a principal act at once on this node. */
export function forgetPrincipal(app: App, tenants: readonly string[], principalId: string): void {
  for (const tenantId of tenants) {
    forgetTokens(app, tenantId, principalId);
    forgetPermissions(app, tenantId, principalId);
  }
}
