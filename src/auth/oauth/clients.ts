import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { App, Caller } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { nameOf, EnableFlag } from '../../core/flag.ts';
import { Id } from '../../core/id.ts';
import { Text } from '../../core/text.ts';
import { inTenant } from '../../db/tenant.ts';
import { audit } from '../audit.ts';
import { demandAll, loadCodes } from '../permission.ts';
import { forgetTokens } from '../token-cache.ts';
import { DEFAULT_SCOPE, SCOPES } from './scope.ts';
import { seal } from './sealed.ts';

const MAX_LISTED = 500;

export const RegisterClient = z.object({
  client_name: Text(64).min(1),
  // Further grants come with their pages; until then a client is a program.
  grant_types: z.tuple([z.literal('client_credentials')]).default(['client_credentials']),
  scope: Text(256)
    .transform((text) => [...new Set(text.split(' ').filter(Boolean))])
    .pipe(z.array(z.enum(SCOPES)).min(1))
    .default([DEFAULT_SCOPE]),
  service_account_principal_id: Id,
});

/**
 * A client that gets tokens for a service account of the tenant; the secret is shown this once
 * (RFC 7591 3.2.1). Throws NotFound (404) for an account of another tenant and Forbidden (403) for
 * one that may do more than the caller.
 */
export async function register(app: App, caller: Caller, input: z.output<typeof RegisterClient>) {
  const { tenantId } = caller;
  const clientId = `svc_${randomBytes(12).toString('hex')}`;
  const secret = randomBytes(32).toString('base64url');
  const scope = input.scope.join(' ');
  const now = new Date(app.clock.now());
  await inTenant(app.db, tenantId, async (q) => {
    const account = await q
      .selectFrom('svc_service_account')
      .select('principalId')
      .where('tenantId', '=', tenantId)
      .where('principalId', '=', input.service_account_principal_id)
      .executeTakeFirst();
    if (!account) throw new NotFound('Service account');
    demandAll(caller, await loadCodes(q, tenantId, account.principalId));
    const { id } = await q
      .insertInto('svc_oauth_client')
      .values({
        clientId,
        clientName: input.client_name,
        clientType: 'CONFIDENTIAL',
        ownerPrincipalId: caller.principalId,
        serviceAccountPrincipalId: account.principalId,
        tenantId,
        clientSecret: seal(app.keys.oauth, clientId, secret),
        grantTypes: [...input.grant_types],
        scopes: scope,
        creatorId: caller.principalId,
        creatorName: caller.name,
        createTime: now,
        operatorId: caller.principalId,
        operatorName: caller.name,
        operateTime: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, clientName: input.client_name }));
  });
  return {
    client_id: clientId,
    client_secret: secret,
    client_secret_expires_at: 0,
    client_name: input.client_name,
    grant_types: input.grant_types,
    scope,
    token_endpoint_auth_method: 'client_secret_basic',
    token_endpoint: `${app.config.baseUrl}/oauth2/token`,
  };
}

export const ListClients = z.object({}).optional();

/** The tenant's clients, newest first, without their secrets. */
export async function list(app: App, caller: Caller) {
  const rows = await inTenant(app.db, caller.tenantId, (q) =>
    q
      .selectFrom('svc_oauth_client')
      .selectAll()
      .where('tenantId', '=', caller.tenantId)
      .orderBy('id', 'desc')
      .limit(MAX_LISTED)
      .execute(),
  );
  return rows.map(({ clientSecret: _secret, grantTypes, redirectUris, ...row }) => ({
    ...row,
    authorizationGrantTypes: grantTypes.join(' '),
    redirectUris: redirectUris.join(' '),
    enableFlag: nameOf(EnableFlag, row.enableFlag),
  }));
}

export const ById = z.object({ id: Id });

/** Deletes a client; its tokens are refused within a second. */
export async function remove(
  app: App,
  caller: Caller,
  { id }: z.output<typeof ById>,
): Promise<boolean> {
  const client = await inTenant(app.db, caller.tenantId, async (q) => {
    const gone = await q
      .deleteFrom('svc_oauth_client')
      .where('tenantId', '=', caller.tenantId)
      .where('id', '=', id)
      .returning(['id', 'clientName', 'serviceAccountPrincipalId'])
      .executeTakeFirst();
    if (!gone) throw new NotFound('OAuth client');
    await audit(app, q, caller, entry('DELETE', gone));
    return gone;
  });
  forgetTokens(app, caller.tenantId, client.serviceAccountPrincipalId);
  return true;
}

const entry = <A extends string>(
  action: A,
  { id, clientName }: { id: string; clientName: string },
) => ({
  action,
  resourceType: 'OAUTH_CLIENT',
  resourceId: id,
  resourceName: clientName,
});
