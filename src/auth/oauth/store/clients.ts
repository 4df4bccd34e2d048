import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { created } from '../../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { Caller, Operation } from '../../../kernel/app/app.ts';
import { AnswerId, named, stored } from '../../../kernel/entity/answer.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { EnableFlag } from '../../../kernel/input/flag.ts';
import { Id } from '../../../kernel/input/id.ts';
import type { ById } from '../../../kernel/input/input.ts';
import { Text } from '../../../kernel/input/text.ts';
import { seal } from '../../../kernel/secret.ts';
import { audit, entriesOf } from '../../audit/audit.ts';
import { demandRightsOf } from '../../permission/permission.ts';
import { RedirectUris } from '../../permission/redirect-uri.ts';
import { DEFAULT_SCOPE, SCOPES } from '../../permission/scope.ts';
import { DEVICE_GRANT } from './registration.ts';

const MAX_LISTED = 500;

const GrantType = z.enum([
  'client_credentials',
  'authorization_code',
  DEVICE_GRANT,
  'refresh_token',
]);
const AuthMethod = z.enum(['none', 'client_secret_basic', 'client_secret_post']);

/** A client without its secret; lists are text with spaces, as in OAuth. */
export const OauthClient = stored('OauthClient', {
  clientId: z.string().meta({ examples: ['svc_5f0c1d2e3a4b5c6d7e8f9a0b'] }),
  clientName: z.string().meta({ examples: ['Shift report'] }),
  clientType: z.enum(['PUBLIC', 'CONFIDENTIAL']),
  ownerPrincipalId: AnswerId,
  serviceAccountPrincipalId: AnswerId.describe('0: it acts for the users that log in'),
  tenantId: AnswerId,
  authorizationGrantTypes: z.string().meta({ examples: ['authorization_code refresh_token'] }),
  redirectUris: z.string(),
  scopes: z.string().meta({ examples: ['svc:read svc:propose'] }),
  enableFlag: named(EnableFlag),
});
type OauthClient = z.output<typeof OauthClient.schema>;

/** A registered client (RFC 7591 3.2.1). */
export const NewOauthClient = z
  .object({
    client_id: z.string(),
    client_secret: z.string().optional().describe('Answered only here'),
    client_secret_expires_at: z.literal(0).optional(),
    client_name: z.string(),
    grant_types: z.array(GrantType),
    redirect_uris: z.array(z.string()).optional(),
    response_types: z.array(z.literal('code')).optional(),
    scope: z.string(),
    token_endpoint_auth_method: AuthMethod,
    token_endpoint: z.string(),
  })
  .meta({ id: 'NewOauthClient' });
type NewOauthClient = z.output<typeof NewOauthClient>;

export const RegisterClient = z
  .object({
    client_name: Text(64)
      .min(1)
      .meta({ examples: ['Maintenance planner'] }),
    /** A `client_credentials` client acts for a service account, any other for the user that logs in. */
    grant_types: z.array(GrantType).min(1).max(4).default(['client_credentials']),
    redirect_uris: RedirectUris.optional(),
    token_endpoint_auth_method: AuthMethod.default('client_secret_basic'),
    scope: Text(256)
      .transform((text) => [...new Set(text.split(' ').filter(Boolean))])
      .pipe(z.array(z.enum(SCOPES)).min(1))
      .meta({ examples: ['svc:read'] })
      .optional(),
    service_account_principal_id: Id.optional(),
  })
  .superRefine((input, context) => {
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const isProgram = input.grant_types.includes('client_credentials');
    if (isProgram && input.grant_types.length > 1) {
      wrong('grant_types', 'client_credentials cannot be combined');
    }
    const isCode = input.grant_types.includes('authorization_code');
    if (!isProgram && !isCode && !input.grant_types.includes(DEVICE_GRANT)) {
      wrong('grant_types', 'refresh_token needs authorization_code or device_code');
    }
    if (isProgram && input.service_account_principal_id === undefined) {
      wrong('service_account_principal_id', 'is required for client_credentials');
    }
    if (!isProgram && input.service_account_principal_id !== undefined) {
      wrong('service_account_principal_id', 'is for client_credentials only');
    }
    if (isProgram && input.token_endpoint_auth_method === 'none') {
      wrong('token_endpoint_auth_method', 'client_credentials needs a secret');
    }
    if (isCode && input.redirect_uris === undefined) {
      wrong('redirect_uris', 'is required for authorization_code');
    }
  });

type RegisterClient = z.output<typeof RegisterClient>;

const entry = entriesOf('OAUTH_CLIENT', 'clientName');

/**
 * Registers a client that gets tokens for a service account of the tenant, or for its users after login and
 * consent; the secret is returned only here (RFC 7591 3.2.1). Throws NotFound (404) for an account of
 * another tenant and Forbidden (403) for one with permissions the caller lacks.
 */
export const register: Operation<RegisterClient, NewOauthClient> = async (app, caller, given) => {
  const { tenantId } = caller;
  const clientId = `svc_${randomBytes(12).toString('hex')}`;
  const isPublic = given.token_endpoint_auth_method === 'none';
  const secret = isPublic ? null : randomBytes(32).toString('base64url');
  const isProgram = given.service_account_principal_id !== undefined;
  // Users choose scopes at consent; a program's scopes are fixed here.
  const scope = (given.scope ?? (isProgram ? [DEFAULT_SCOPE] : SCOPES)).join(' ');
  const isCode = given.grant_types.includes('authorization_code');
  const redirectUris = isCode ? [...new Set(given.redirect_uris)] : [];
  await inTenant(app.db, tenantId, async (q) => {
    if (given.service_account_principal_id !== undefined) {
      await demandAccount(q, caller, given.service_account_principal_id);
    }
    const { id } = await q
      .insertInto('svc_oauth_client')
      .values({
        clientId,
        clientName: given.client_name,
        clientType: isPublic ? 'PUBLIC' : 'CONFIDENTIAL',
        ownerPrincipalId: caller.principalId,
        serviceAccountPrincipalId: given.service_account_principal_id ?? '0',
        tenantId,
        clientSecret: secret === null ? null : seal(app.keys.oauth, clientId, secret),
        grantTypes: [...given.grant_types],
        redirectUris,
        scopes: scope,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, clientName: given.client_name }));
  });
  return {
    client_id: clientId,
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: given.client_name,
    grant_types: given.grant_types,
    ...(isCode ? { redirect_uris: redirectUris, response_types: ['code'] } : {}),
    scope,
    token_endpoint_auth_method: given.token_endpoint_auth_method,
    token_endpoint: `${app.config.baseUrl}/oauth2/token`,
  };
};

/** Throws unless the account is in the caller's tenant and holds no permission the caller lacks. */
async function demandAccount(q: Queries, caller: Caller, principalId: string): Promise<void> {
  const account = await q
    .selectFrom('svc_service_account')
    .select('principalId')
    .where('tenantId', '=', caller.tenantId)
    .where('principalId', '=', principalId)
    .executeTakeFirst();
  if (!account) throw new NotFound('Service account');
  await demandRightsOf(q, caller, account.principalId);
}

export const ListClients = z.object({}).optional();

/** The tenant's clients, newest first, without their secrets. */
export const list: Operation<unknown, OauthClient[]> = async (app, { tenantId }) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_oauth_client')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc')
      .limit(MAX_LISTED)
      .execute(),
  );
  return rows.map(({ grantTypes, redirectUris, ...row }) =>
    OauthClient.of({
      ...row,
      authorizationGrantTypes: grantTypes.join(' '),
      redirectUris: redirectUris.join(' '),
    }),
  );
};

/**
 * Deletes a client; its tokens are refused at once. Throws Forbidden (403) when its service
 * account, or the owner of a users' client, holds permissions the caller lacks.
 */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
    const gone = await q
      .deleteFrom('svc_oauth_client')
      .where('tenantId', '=', caller.tenantId)
      .where('id', '=', id)
      .returning(['id', 'clientId', 'clientName', 'serviceAccountPrincipalId', 'ownerPrincipalId'])
      .executeTakeFirst();
    if (!gone) throw new NotFound('OAuth client');
    const { serviceAccountPrincipalId: account, ownerPrincipalId: owner } = gone;
    await demandRightsOf(q, caller, account === '0' ? owner : account);
    await audit(app, q, caller, entry('DELETE', gone));
  });
  return true;
};
