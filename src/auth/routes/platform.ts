import { z } from 'zod';

import { get, post, type Route } from '../../route.ts';
import * as identityAudit from '../identity-audit.ts';
import * as tenant from '../people/tenant.ts';
import * as api from '../rights/api.ts';
import * as menu from '../rights/menu.ts';
import { add, byId, list, remove, update } from '../rows.ts';

/** Routes of tenants, of the data all tenants share, and of the identity audit. */
export const platform: readonly Route[] = [
  add('/tenant/add', 'tenant', tenant.AddTenant, tenant.add),
  remove('/tenant/delete', 'tenant', tenant.remove),
  update('/tenant/update', 'tenant', tenant.UpdateTenant, tenant.update),
  byId('/tenant/get_by_id', 'tenant', tenant.byId),
  get(
    '/tenant/get_by_code',
    {
      needs: 'tenant:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'A tenant by its code',
      input: tenant.ByCode,
    },
    tenant.byCode,
  ),
  list('/tenant/list', 'tenant', tenant.TenantQuery, tenant.page),
  get(
    '/dictionary/tenant',
    {
      needs: 'dictionary_for_auth:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'The tenants as a selection list',
      input: z.unknown(),
    },
    tenant.dictionary,
  ),

  add('/api/add', 'api', api.AddApi, api.add),
  remove('/api/delete', 'api', api.remove),
  update('/api/update', 'api', api.UpdateApi, api.update),
  byId('/api/get_by_id', 'api', api.byId),
  list('/api/list', 'api', api.ApiQuery, api.page),

  add('/menu/add', 'menu', menu.AddMenu, menu.add),
  remove('/menu/delete', 'menu', menu.remove),
  update('/menu/update', 'menu', menu.UpdateMenu, menu.update),
  byId('/menu/get_by_id', 'menu', menu.byId),
  list('/menu/list', 'menu', menu.MenuQuery, menu.page),
  list('/menu/list_tree', 'menu', menu.MenuTreeQuery, menu.tree),

  post(
    '/identity_audit/list',
    {
      needs: 'audit:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'What happened to identities of the tenant',
      input: identityAudit.AuditQuery,
    },
    identityAudit.list,
  ),
];
