import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import { User } from '../people/user.ts';
import * as api from './api.ts';
import * as menu from './menu.ts';
import * as resource from './resource.ts';
import * as rolePrincipal from './role-principal.ts';
import * as roleResource from './role-resource.ts';
import * as role from './role.ts';

/** A token or key does not reveal what the accounts may do: these reads need a login too. */
const rights = { removed: Done, reads: 'interactive' } as const;

const roles = routesOf({ noun: 'role', answer: role.Role.schema, ...rights });
const principalBinds = routesOf({
  noun: 'role_principal_bind',
  answer: rolePrincipal.RolePrincipalBind.schema,
  ...rights,
});
const resourceBinds = routesOf({
  noun: 'role_resource_bind',
  answer: roleResource.RoleResourceBind.schema,
  ...rights,
});
const resources = routesOf({ noun: 'resource', answer: resource.Resource.schema, ...rights });
const apis = routesOf({ noun: 'api', answer: api.Api.schema, ...rights });
const menus = routesOf({ noun: 'menu', answer: menu.Menu.schema, ...rights });

const tree = (noun: string) =>
  ({
    needs: `${noun}:list`,
    scope: 'interactive',
    risk: 'read',
    summary: `Answers ${noun}s`,
  }) as const;
const byPrincipal = {
  needs: 'role_principal_bind:list',
  scope: 'interactive',
  risk: 'read',
  summary: 'Answers role principal binds by what they belong to',
} as const;
const byResource = {
  needs: 'role_resource_bind:list',
  scope: 'interactive',
  risk: 'read',
  summary: 'Answers role resource binds by what they belong to',
} as const;

/** Roles, resources and their bindings (docs/specification/authorization.md 1), the API and menu catalogues. */
export const routes: readonly Route[] = [
  apis.add('/api/add', api.AddApi, api.add),
  apis.remove('/api/delete', api.remove),
  apis.update('/api/update', api.UpdateApi, api.update),
  apis.byId('/api/get_by_id', api.byId),
  apis.page('/api/list', api.ApiQuery, api.page),

  menus.add('/menu/add', menu.AddMenu, menu.add),
  menus.remove('/menu/delete', menu.remove),
  menus.update('/menu/update', menu.UpdateMenu, menu.update),
  menus.byId('/menu/get_by_id', menu.byId),
  menus.page('/menu/list', menu.MenuQuery, menu.page),
  post(
    '/menu/list_tree',
    { ...tree('menu'), input: menu.MenuTreeQuery, output: z.array(menu.MenuTree) },
    menu.tree,
  ),

  roles.add('/role/add', role.AddRole, role.add),
  roles.remove('/role/delete', role.remove),
  roles.update('/role/update', role.UpdateRole, role.update),
  roles.byId('/role/get_by_id', role.byId),
  roles.page('/role/list', role.RoleQuery, role.page),
  post(
    '/role/list_tree',
    { ...tree('role'), input: role.RoleTreeQuery, output: z.array(role.RoleTree) },
    role.tree,
  ),

  principalBinds.add('/role_principal/add', rolePrincipal.AddBind, rolePrincipal.add),
  principalBinds.remove('/role_principal/delete', rolePrincipal.remove),
  principalBinds.page('/role_principal/list', rolePrincipal.BindQuery, rolePrincipal.page),
  get(
    '/role_principal/list_role_by_principal',
    { ...byPrincipal, input: rolePrincipal.OfPrincipal, output: z.array(role.Role.schema) },
    rolePrincipal.roles,
  ),
  get(
    '/role_principal/list_user_by_role',
    { ...byPrincipal, input: rolePrincipal.OfRole, output: z.array(User.schema) },
    rolePrincipal.users,
  ),

  resourceBinds.add('/role_resource/add', roleResource.AddBind, roleResource.add),
  resourceBinds.remove('/role_resource/delete', roleResource.remove),
  resourceBinds.page('/role_resource/list', roleResource.BindQuery, roleResource.page),
  get(
    '/role_resource/list_resource_by_role',
    { ...byResource, input: roleResource.OfRole, output: z.array(resource.Resource.schema) },
    roleResource.byRole,
  ),
  get(
    '/role_resource/list_resource_by_principal',
    { ...byResource, input: roleResource.OfPrincipal, output: z.array(resource.Resource.schema) },
    roleResource.byPrincipal,
  ),
  get(
    '/role_resource/list_role_by_resource',
    { ...byResource, input: roleResource.OfResource, output: z.array(role.Role.schema) },
    roleResource.roles,
  ),

  resources.add('/resource/add', resource.AddResource, resource.add),
  resources.remove('/resource/delete', resource.remove),
  resources.update('/resource/update', resource.UpdateResource, resource.update),
  resources.byId('/resource/get_by_id', resource.byId),
  resources.page('/resource/list', resource.ResourceQuery, resource.page),
  post(
    '/resource/list_tree',
    {
      ...tree('resource'),
      input: resource.ResourceTreeQuery,
      output: z.array(resource.ResourceTree),
    },
    resource.tree,
  ),
];
