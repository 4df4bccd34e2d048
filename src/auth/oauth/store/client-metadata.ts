import type { AdapterPayload } from 'oidc-provider';

import type { Queries } from '../../../db/connect.ts';
import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { EnableFlag } from '../../../kernel/input/flag.ts';
import { unseal } from '../../../kernel/secret.ts';
import { applicationType } from '../../permission/redirect-uri.ts';
import { clientByDocument } from './client-document.ts';
import { findDynamicClient, isDocumentId, isDynamic } from './registration.ts';

/** Field of the client metadata: the tenant a client is limited to. */
export const CLIENT_TENANT = 'svc_tenant_id';

/** The tenant a client is limited to; null for all tenants. */
export function tenantOf(client: object | undefined): string | null {
  const tenantId: unknown = client && Reflect.get(client, CLIENT_TENANT);
  return typeof tenantId === 'string' ? tenantId : null;
}

/**
 * Metadata of a client for the authorization server (RFC 7591 names); undefined, and so unknown, when the
 * client, its tenant or its service account is disabled or expired. Throws UnusableClient for an address without a
 * document that can be used.
 */
export async function clientMetadata(
  app: App,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  if (isDocumentId(clientId)) return clientByDocument(app, clientId);
  if (isDynamic(clientId)) {
    return acrossTenants(app.db, 'oauth', (q) => findDynamicClient(app, q, clientId));
  }
  const { program, people } = await acrossTenants(app.db, 'oauth', async (q) => {
    const found = await findClient(app, q, clientId);
    return { program: found, people: found ? undefined : await findPeopleClient(q, clientId) };
  });
  if (program) return secretly(app, program, programMetadata(program));
  if (people?.clientType === 'PUBLIC') return peopleMetadata(people);
  return people && secretly(app, people, peopleMetadata(people));
}

type Program = NonNullable<Awaited<ReturnType<typeof findClient>>>;
type PeopleClient = NonNullable<Awaited<ReturnType<typeof findPeopleClient>>>;

const programMetadata = (client: Program): AdapterPayload => ({
  client_id: client.clientId,
  client_name: client.clientName,
  grant_types: client.grantTypes,
  redirect_uris: client.redirectUris,
  response_types: [],
  scope: client.scopes,
  token_endpoint_auth_method: 'client_secret_basic',
});

const peopleMetadata = (client: PeopleClient): AdapterPayload => ({
  client_id: client.clientId,
  client_name: client.clientName,
  grant_types: client.grantTypes,
  redirect_uris: client.redirectUris,
  application_type: applicationType(client.redirectUris),
  response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
  scope: client.scopes,
  token_endpoint_auth_method: client.clientType === 'PUBLIC' ? 'none' : 'client_secret_basic',
  [CLIENT_TENANT]: client.tenantId,
});

/** Adds the client secret; undefined when it is absent or cannot be decrypted. */
function secretly(
  app: App,
  { clientId, clientSecret }: { clientId: string; clientSecret: string | null },
  metadata: AdapterPayload,
): AdapterPayload | undefined {
  if (clientSecret === null) return undefined;
  const secret = unseal(app.keys.oauth, clientId, clientSecret);
  if (secret !== null) return { ...metadata, client_secret: secret };
  // Sealed under another SVC_SECRET_KEY: the client can no longer authenticate.
  app.log.warn({ clientId }, 'OAuth client secret unreadable, register the client again');
  return undefined;
}

/** A client for users of its tenant; undefined when it or the tenant is disabled. */
function findPeopleClient(q: Queries, clientId: string) {
  return q
    .selectFrom('svc_oauth_client as client')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'client.tenantId')
    .select([
      'client.clientId',
      'client.clientName',
      'client.clientType',
      'client.clientSecret',
      'client.grantTypes',
      'client.redirectUris',
      'client.scopes',
      'client.tenantId',
    ])
    .where('client.clientId', '=', clientId)
    .where('client.serviceAccountPrincipalId', '=', '0')
    .where('client.enableFlag', '=', EnableFlag.ENABLE)
    .where('tenant.enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
}

/** Whether the users' client of a token still exists and is enabled. */
export async function peopleClientStands(app: App, q: Queries, clientId: string): Promise<boolean> {
  const found = isDynamic(clientId)
    ? await findDynamicClient(app, q, clientId)
    : await findPeopleClient(q, clientId);
  return found !== undefined;
}

/** A service account's client with the fields its tokens need; undefined unless all parts are active. */
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
      'account.expireTime',
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
