import { ByIds } from '../../core/input/input.ts';
import { ById } from '../../core/input/input.ts';
import { get, post, type Route } from '../../route.ts';
import { add, byId, list, remove, update } from '../rows.ts';
import * as credential from './local-credential.ts';
import * as membership from './membership.ts';
import * as principal from './principal.ts';
import * as user from './user.ts';

/** Routes of users, principals, logins and memberships. */
export const people: readonly Route[] = [
  add('/user_profile/add', 'user', user.AddUser, user.add),
  remove('/user_profile/delete', 'user', user.remove),
  update('/user_profile/update', 'user', user.UpdateUser, user.update),
  byId('/user_profile/get_by_id', 'user', user.byId),
  get(
    '/user_profile/get_by_name',
    {
      needs: 'user:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'A user of the tenant',
      input: user.ByName,
    },
    user.byName,
  ),
  list('/user_profile/list', 'user', user.UserQuery, user.page),

  byId('/principal/get_by_id', 'principal', principal.byId),
  list('/principal/list', 'principal', principal.PrincipalQuery, principal.page),
  list('/principal/list_by_ids', 'principal', ByIds, principal.byIds),
  post(
    '/principal/enable',
    {
      needs: 'principal:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Enables a principal',
      input: ById,
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
    },
    principal.disable,
  ),

  post(
    '/local_credential/add',
    {
      needs: 'local_credential:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Adds a login; its password must be changed first',
      input: credential.AddCredential,
    },
    credential.add,
  ),
  remove('/local_credential/delete', 'local_credential', credential.remove),
  update(
    '/local_credential/update',
    'local_credential',
    credential.UpdateCredential,
    credential.update,
  ),
  post(
    '/local_credential/reset_password',
    {
      needs: 'local_credential:update',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Sets a password that must be changed first; keys go on until /key/revoke',
      input: credential.ResetPassword,
    },
    credential.resetPassword,
  ),
  byId('/local_credential/get_by_id', 'local_credential', credential.byId),
  get(
    '/local_credential/check',
    {
      needs: 'local_credential:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'Whether a login name is taken',
      input: credential.CheckName,
    },
    credential.check,
  ),
  list('/local_credential/list', 'local_credential', credential.CredentialQuery, credential.page),

  add('/tenant_membership/add', 'tenant_membership', membership.AddMembership, membership.add),
  remove('/tenant_membership/delete', 'tenant_membership', membership.remove),
  list('/tenant_membership/list', 'tenant_membership', membership.MembershipQuery, membership.page),
];
