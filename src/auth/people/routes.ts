import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import { ById, ByIds } from '../../kernel/input/input.ts';
import * as credential from './local-credential.ts';
import * as membership from './membership.ts';
import * as principal from './principal.ts';
import * as serviceAccountUpdate from './service-account-update.ts';
import * as serviceAccount from './service-account.ts';
import * as tenant from './tenant.ts';
import * as user from './user.ts';

/** A token or key reveals neither the accounts nor what they may do: their reads need a login too. */
const people = { removed: Done, reads: 'interactive' } as const;

const tenants = routesOf({ noun: 'tenant', answer: tenant.Tenant.schema, ...people });
const users = routesOf({ noun: 'user', answer: user.User.schema, ...people });
const principals = routesOf({ noun: 'principal', answer: principal.Principal.schema, ...people });
const credentials = routesOf({
  noun: 'local_credential',
  answer: credential.LocalCredential.schema,
  ...people,
});
const memberships = routesOf({
  noun: 'tenant_membership',
  answer: membership.TenantMembership.schema,
  ...people,
});
const accounts = routesOf({
  noun: 'service_account',
  answer: serviceAccount.ServiceAccount.schema,
  ...people,
});

/** Tenants, their members, and how these log in. */
export const routes: readonly Route[] = [
  tenants.add('/tenant/add', tenant.AddTenant, tenant.add),
  tenants.remove('/tenant/delete', tenant.remove),
  tenants.update('/tenant/update', tenant.UpdateTenant, tenant.update),
  tenants.byId('/tenant/get_by_id', tenant.byId),
  tenants.one('/tenant/get_by_code', tenant.ByCode, tenant.byCode, 'A tenant by its code'),
  tenants.page('/tenant/list', tenant.TenantQuery, tenant.page),
  get(
    '/dictionary/tenant',
    {
      needs: 'dictionary_for_auth:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'The tenants as a selection list',
      input: z.unknown(),
      output: z.array(tenant.TenantEntry),
    },
    tenant.dictionary,
  ),

  users.add('/user_profile/add', user.AddUser, user.add),
  users.remove('/user_profile/delete', user.remove),
  users.update('/user_profile/update', user.UpdateUser, user.update),
  users.byId('/user_profile/get_by_id', user.byId),
  users.one('/user_profile/get_by_name', user.ByName, user.byName, 'A user of the tenant'),
  users.page('/user_profile/list', user.UserQuery, user.page),

  principals.byId('/principal/get_by_id', principal.byId),
  principals.page('/principal/list', principal.PrincipalQuery, principal.page),
  post(
    '/principal/list_by_ids',
    {
      needs: 'principal:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Answers principals',
      input: ByIds,
      output: z.array(principal.Principal.schema),
    },
    principal.byIds,
  ),
  post(
    '/principal/enable',
    {
      needs: 'principal:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Enables a principal',
      input: ById,
      output: Done,
    },
    principal.enable,
  ),
  post(
    '/principal/disable',
    {
      needs: 'principal:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Disables a principal and ends its tokens',
      input: ById,
      output: Done,
    },
    principal.disable,
  ),

  credentials.add(
    '/local_credential/add',
    credential.AddCredential,
    credential.add,
    'Adds a login; its password must be changed first',
  ),
  credentials.remove('/local_credential/delete', credential.remove),
  credentials.update('/local_credential/update', credential.UpdateCredential, credential.update),
  post(
    '/local_credential/reset_password',
    {
      needs: 'local_credential:update',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Sets a password that must be changed first; keys go on until /key/revoke',
      input: credential.ResetPassword,
      output: Done,
    },
    credential.resetPassword,
  ),
  credentials.byId('/local_credential/get_by_id', credential.byId),
  get(
    '/local_credential/check',
    {
      needs: 'local_credential:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'Whether a login name is taken',
      input: credential.CheckName,
      output: z.boolean(),
    },
    credential.check,
  ),
  credentials.page('/local_credential/list', credential.CredentialQuery, credential.page),

  memberships.add('/tenant_membership/add', membership.AddMembership, membership.add),
  memberships.remove('/tenant_membership/delete', membership.remove),
  memberships.page('/tenant_membership/list', membership.MembershipQuery, membership.page),

  accounts.add(
    '/service_account/add',
    serviceAccount.AddServiceAccount,
    serviceAccount.add,
    'Add an account for a program',
  ),
  accounts.remove('/service_account/delete', serviceAccount.remove, 'Delete a service account'),
  accounts.update(
    '/service_account/update',
    serviceAccountUpdate.UpdateServiceAccount,
    serviceAccountUpdate.update,
  ),
  post(
    '/service_account/enable',
    {
      needs: 'service_account:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Enable a service account',
      input: ById,
      output: Done,
    },
    serviceAccount.enable,
  ),
  post(
    '/service_account/disable',
    {
      needs: 'service_account:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Disable a service account and its tokens',
      input: ById,
      output: Done,
    },
    serviceAccount.disable,
  ),
  accounts.byId('/service_account/get_by_id', serviceAccount.byId, 'One service account'),
  accounts.page(
    '/service_account/list',
    serviceAccount.ListServiceAccounts,
    serviceAccount.page,
    'The service accounts of the tenant',
  ),
];
