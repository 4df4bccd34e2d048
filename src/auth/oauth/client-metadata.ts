import type { AdapterPayload } from 'oidc-provider';

import type { App } from '../../app.ts';
import { EnableFlag } from '../../core/flag.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { unseal } from './sealed.ts';

/**
 * A client as the authorization server sees it (RFC 7591 names); undefined, and so unknown, when it,
 * its tenant or its service account is disabled or over.
 */
export async function clientMetadata(
  app: App,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const client = await acrossTenants(app.db, 'oauth', (q) => findClient(app, q, clientId));
  if (!client?.clientSecret) return undefined;
  let secret: string;
  try {
    secret = unseal(app.keys.oauth, client.clientId, client.clientSecret);
  } catch (error) {
    // Sealed under another SVC_SECRET_KEY: nobody can prove to be this client any more.
    app.log.warn({ err: error, clientId }, 'the client has to be registered again');
    return undefined;
  }
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    client_secret: secret,
    grant_types: client.grantTypes,
    redirect_uris: client.redirectUris,
    response_types: [],
    scope: client.scopes,
    token_endpoint_auth_method: 'client_secret_basic',
  };
}

/** A client whose tenant, service account and membership all stand, with what a token of it needs. */
export function findClient(app: App, q: Queries, clientId: string) {
  return q
    .selectFrom('svc_oauth_client as client')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'client.tenantId')
    .innerJoin('svc_service_account as account', (on) =>
      on
        .onRef('account.principalId', '=', 'client.serviceAccountPrincipalId')
        .onRef('account.tenantId', '=', 'client.tenantId'),
    )
    .innerJoin('svc_principal as principal', 'principal.id', 'account.principalId')
    .innerJoin('svc_tenant_membership as membership', (on) =>
      on
        .onRef('membership.principalId', '=', 'account.principalId')
        .onRef('membership.tenantId', '=', 'client.tenantId'),
    )
    .leftJoin('svc_token_revocation as revocation', (on) =>
      on
        .onRef('revocation.tenantId', '=', 'client.tenantId')
        .onRef('revocation.principalId', '=', 'account.principalId'),
    )
    .select([
      'client.clientId',
      'client.clientName',
      'client.clientSecret',
      'client.grantTypes',
      'client.redirectUris',
      'client.scopes',
      'client.tenantId',
      'account.id as accountId',
      'account.principalId',
      'account.serviceAccountName',
      'account.lastUsedTime',
      'revocation.revokedBeforeMs',
    ])
    .where('client.clientId', '=', clientId)
    .where('client.enableFlag', '=', EnableFlag.ENABLE)
    .where('tenant.enableFlag', '=', EnableFlag.ENABLE)
    .where('account.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.lockedFlag', '=', 0)
    .where('principal.principalType', '=', 'SERVICE_ACCOUNT')
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .where((row) =>
      row.or([
        row('account.expireTime', 'is', null),
        row('account.expireTime', '>', new Date(app.clock.now())),
      ]),
    )
    .executeTakeFirst();
}
