import type { Route } from '../../route.ts';
import { add, byId, find, list, remove, update } from '../rows.ts';
import * as resource from './resource.ts';
import * as rolePrincipal from './role-principal.ts';
import * as roleResource from './role-resource.ts';
import * as role from './role.ts';

const PRINCIPAL = 'role_principal_bind';
const RESOURCE = 'role_resource_bind';

/** Routes of roles, resources and their bindings (docs/specification/authorization.md 1). */
export const rights: readonly Route[] = [
  add('/role/add', 'role', role.AddRole, role.add),
  remove('/role/delete', 'role', role.remove),
  update('/role/update', 'role', role.UpdateRole, role.update),
  byId('/role/get_by_id', 'role', role.byId),
  list('/role/list', 'role', role.RoleQuery, role.page),
  list('/role/list_tree', 'role', role.RoleTreeQuery, role.tree),

  add('/role_principal/add', PRINCIPAL, rolePrincipal.AddBind, rolePrincipal.add),
  remove('/role_principal/delete', PRINCIPAL, rolePrincipal.remove),
  list('/role_principal/list', PRINCIPAL, rolePrincipal.BindQuery, rolePrincipal.page),
  find(
    '/role_principal/list_role_by_principal',
    PRINCIPAL,
    rolePrincipal.OfPrincipal,
    rolePrincipal.roles,
  ),
  find('/role_principal/list_user_by_role', PRINCIPAL, rolePrincipal.OfRole, rolePrincipal.users),

  add('/role_resource/add', RESOURCE, roleResource.AddBind, roleResource.add),
  remove('/role_resource/delete', RESOURCE, roleResource.remove),
  list('/role_resource/list', RESOURCE, roleResource.BindQuery, roleResource.page),
  find('/role_resource/list_resource_by_role', RESOURCE, roleResource.OfRole, roleResource.byRole),
  find(
    '/role_resource/list_resource_by_principal',
    RESOURCE,
    roleResource.OfPrincipal,
    roleResource.byPrincipal,
  ),
  find(
    '/role_resource/list_role_by_resource',
    RESOURCE,
    roleResource.OfResource,
    roleResource.roles,
  ),

  add('/resource/add', 'resource', resource.AddResource, resource.add),
  remove('/resource/delete', 'resource', resource.remove),
  update('/resource/update', 'resource', resource.UpdateResource, resource.update),
  byId('/resource/get_by_id', 'resource', resource.byId),
  list('/resource/list', 'resource', resource.ResourceQuery, resource.page),
  list('/resource/list_tree', 'resource', resource.ResourceTreeQuery, resource.tree),
];
