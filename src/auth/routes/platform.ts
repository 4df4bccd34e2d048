import { post, type Route } from '../../route.ts';
import * as identityAudit from '../audit/identity-audit.ts';
import * as api from '../rights/api.ts';
import * as menu from '../rights/menu.ts';
import { add, byId, list, remove, update } from '../rows.ts';

/** Routes of the data all tenants share, and of the identity audit. */
export const platform: readonly Route[] = [
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
