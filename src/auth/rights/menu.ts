import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Conflict, NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id, IdOrZero } from '../../core/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { MenuTable } from '../../db/schema/access.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inTenant } from '../../db/tenant.ts';
import { type AuditAction, audit } from '../audit/audit.ts';
import { demandPlatform } from './platform.ts';
import { MAX_TREE, type Tree, treeOf } from './tree.ts';

const NONE = '0';
const MenuType = { TITLE: 0, COMMON: 1 } as const;
const MenuLevel = { ROOT: 0, C1: 1, C2: 2, C3: 3, C4: 4 } as const;

const fields = {
  ...shared,
  parentMenuId: IdOrZero.optional(),
  menuTypeFlag: flag(MenuType).optional(),
  menuLevel: flag(MenuLevel).optional(),
  menuIndex: z.number().int().min(-2_147_483_648).max(2_147_483_647).optional(),
  menuExt: Ext.optional(),
};
export const AddMenu = input({ ...fields, menuName: Name, menuCode: GivenCode });
export const UpdateMenu = input({
  ...fields,
  id: Id,
  menuName: Name.optional(),
  menuCode: GivenCode,
});
const filters = {
  parentMenuId: IdOrZero.optional(),
  menuTypeFlag: flag(MenuType).optional(),
  menuName: Text(64).optional(),
  menuCode: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
};
export const MenuQuery = input({ page: Page, ...filters });
export const MenuTreeQuery = input(filters);
type MenuTreeQuery = z.infer<typeof MenuTreeQuery>;

const shown = (row: Selectable<MenuTable>) => ({
  ...row,
  menuTypeFlag: nameOf(MenuType, row.menuTypeFlag),
  menuLevel: nameOf(MenuLevel, row.menuLevel),
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});
type Menu = ReturnType<typeof shown>;

async function required(q: Queries, id: string) {
  const menu = await q.selectFrom('svc_menu').selectAll().where('id', '=', id).executeTakeFirst();
  if (!menu) throw new NotFound('Menu');
  return menu;
}

const entry = (action: AuditAction, { id, menuCode }: { id: string; menuCode: string }) => ({
  action,
  resourceType: 'MENU',
  resourceId: id,
  resourceName: menuCode,
});

/** Adds a menu of the console, for the platform tenant only (403); 409 for a taken code. */
export const add: Operation<z.infer<typeof AddMenu>, string> = (app, caller, given) => {
  const { menuCode = randomUUID(), parentMenuId = NONE, ...rest } = given;
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    if (parentMenuId !== NONE) await required(q, parentMenuId);
    const { id } = await acrossTenantsWithin(q, 'permission', () =>
      q
        .insertInto('svc_menu')
        .values({ ...rest, menuCode, parentMenuId, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    await audit(app, q, caller, entry('CREATE', { id, menuCode }));
    return id;
  });
  return conflictIfTaken('menu', adding);
};

/** Changes the given fields, for the platform tenant only (403); 422 for a parent below itself. */
export const update: Operation<z.infer<typeof UpdateMenu>, void> = (app, caller, given) => {
  const { id, ...change } = given;
  const updating = inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const menu = await required(q, id);
    for (let above = change.parentMenuId ?? NONE; above !== NONE;) {
      if (above === id) throw new Unprocessable('A menu cannot stand below itself');
      above = (await required(q, above)).parentMenuId;
    }
    await acrossTenantsWithin(q, 'permission', () =>
      q
        .updateTable('svc_menu')
        .set({ ...change, ...touched(app, caller) })
        .where('id', '=', id)
        .execute(),
    );
    await audit(app, q, caller, entry('UPDATE', menu));
  });
  return conflictIfTaken('menu', updating);
};

/** Deletes a menu, for the platform tenant only (403); 409 while it has children. */
export const remove: Operation<ById, boolean> = (app, caller, { id }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    await demandPlatform(q, caller);
    const menu = await required(q, id);
    const child = await q
      .selectFrom('svc_menu')
      .select('id')
      .where('parentMenuId', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (child) throw new Conflict('Other menus stand below this one');
    await acrossTenantsWithin(q, 'permission', () =>
      q.deleteFrom('svc_menu').where('id', '=', id).execute(),
    );
    await audit(app, q, caller, entry('DELETE', menu));
    return true;
  });

/** One menu; NotFound (404). */
export const byId: Operation<ById, Menu> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => shown(await required(q, id)));

function found(q: Queries, asked: MenuTreeQuery) {
  const { parentMenuId, menuTypeFlag, menuName, menuCode, enableFlag } = asked;
  let rows = q.selectFrom('svc_menu').selectAll();
  if (parentMenuId !== undefined) rows = rows.where('parentMenuId', '=', parentMenuId);
  if (menuTypeFlag !== undefined) rows = rows.where('menuTypeFlag', '=', menuTypeFlag);
  if (menuName) rows = rows.where('menuName', 'ilike', contains(menuName));
  if (menuCode) rows = rows.where('menuCode', 'ilike', contains(menuCode));
  if (enableFlag !== undefined) rows = rows.where('enableFlag', '=', enableFlag);
  return rows;
}

/** The menus, shared by all tenants; newest first. */
export const page: Operation<z.infer<typeof MenuQuery>, Paged<Menu>> = (app, { tenantId }, asked) =>
  inTenant(app.db, tenantId, (q) =>
    pageOf(found(q, asked).orderBy('id', 'desc'), asked.page, shown),
  );

/** The menus as a forest, in the order of their index. */
export const tree: Operation<MenuTreeQuery, Tree<Menu>[]> = async (app, { tenantId }, asked) => {
  const rows = await inTenant(app.db, tenantId, (q) =>
    found(q, asked).orderBy('menuIndex').orderBy('id').limit(MAX_TREE).execute(),
  );
  return treeOf(rows.map(shown), ({ parentMenuId }) => parentMenuId);
};
