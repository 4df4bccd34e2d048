import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { demandPlatform } from '../permission/platform.ts';
import { MAX_TREE, type Tree, treeOf } from './tree.ts';

const NONE = '0';
const MenuType = { TITLE: 0, COMMON: 1 } as const;
const MenuLevel = { ROOT: 0, C1: 1, C2: 2, C3: 3, C4: 4 } as const;

/** A page of the web client, or the title above some. */
export const Menu = stored('Menu', {
  parentMenuId: AnswerId.describe('0: none'),
  menuTypeFlag: named(MenuType),
  menuName: z.string().meta({ examples: ['Devices'] }),
  menuCode: z.string().meta({ examples: ['device'] }),
  menuLevel: named(MenuLevel),
  menuIndex: z
    .number()
    .int()
    .meta({ description: 'Its place among its neighbours', examples: [1] }),
  menuExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
type Menu = z.output<typeof Menu.schema>;

export const MenuTree = Menu.schema
  .extend({
    get children() {
      return z.array(MenuTree);
    },
  })
  .meta({ id: 'MenuTree' });

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

async function required(q: Queries, id: string) {
  const menu = await q.selectFrom('svc_menu').selectAll().where('id', '=', id).executeTakeFirst();
  if (!menu) throw new NotFound('Menu');
  return menu;
}

const entry = entriesOf('MENU', 'menuCode');

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
    await audit(app, q, caller, { ...entry('UPDATE', menu), detail: changesOf(menu, change) });
  });
  return conflictIfTaken('menu', updating);
};

/** Deletes a menu, for the platform tenant only (403); 409 while it has children. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  await inTenant(app.db, caller.tenantId, async (q) => {
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
  });
  return true;
};

/** One menu; NotFound (404). */
export const byId: Operation<ById, Menu> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Menu.of(await required(q, id)));

const found = (q: Queries, asked: MenuTreeQuery) =>
  narrowed(q.selectFrom('svc_menu').selectAll(), asked, {
    like: ['menuName', 'menuCode'],
    equal: ['parentMenuId', 'menuTypeFlag', 'enableFlag'],
  });

/** The menus, shared by all tenants; newest first. */
export const page: Operation<z.infer<typeof MenuQuery>, Paged<Menu>> = (app, { tenantId }, asked) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageOf(found(q, asked).orderBy('id', 'desc'), asked.page, Menu.of),
  );

/** The menus as a forest, in the order of their index. */
export const tree: Operation<MenuTreeQuery, Tree<Menu>[]> = async (app, { tenantId }, asked) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    found(q, asked).orderBy('menuIndex').orderBy('id').limit(MAX_TREE).execute(),
  );
  return treeOf(rows.map(Menu.of), ({ parentMenuId }) => parentMenuId);
};
