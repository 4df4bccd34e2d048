import { expect, it } from 'vitest';
import { z } from 'zod';

import { startedWorld } from '../support/world/prepared.ts';

const Menu = z.looseObject({
  menuCode: z.string(),
  menuTypeFlag: z.enum(['TITLE', 'COMMON']),
  menuExt: z.object({
    content: z.object({
      titles: z.object({ en: z.string().min(2), zh: z.string().min(2) }),
      url: z.string(),
      icon: z.string().min(2),
    }),
  }),
  get children() {
    return z.array(Menu);
  },
});
type Menu = z.infer<typeof Menu>;

const world = startedWorld();

const flat = (menus: readonly Menu[]): Menu[] =>
  menus.flatMap((menu) => [menu, ...flat(menu.children)]);

it('a fresh installation has the pages of the existing web client, for every tenant', async () => {
  const tenant = await world.tenant('menus');
  for (const session of [world.admin, tenant]) {
    const tree = z.array(Menu).parse(await session.data('/api/v3/auth/menu/list_tree', {}));
    expect(tree.map(({ menuCode }) => menuCode)).toEqual([
      'home',
      'driver',
      'profile',
      'device',
      'pointValue',
      'settings',
    ]);
    const pages = flat(tree).filter(({ menuTypeFlag }) => menuTypeFlag === 'COMMON');
    expect(pages).toHaveLength(39);
    expect(pages.every(({ menuExt }) => menuExt.content.url.startsWith('/'))).toBe(true);
    const urls = new Set(pages.map(({ menuExt }) => menuExt.content.url));
    expect(urls.size).toBe(39);
    for (const source of ['driver', 'device', 'point'])
      expect(urls).toContain(`/settings/alarm/${source}`);
  }
});

it('the health of the system is told by center and by infrastructure', async () => {
  const { body } = await world.admin.get('/api/v3/data/dashboard/system/health');
  expect(body.data).toMatchObject({
    center: { auth: 'up', manager: 'up', data: 'up', agentic: 'up' },
    infra: { database: 'up', mq: expect.stringMatching(/^(up|unknown)$/) },
    drivers: { total: expect.any(Number), online: expect.any(Number) },
    devices: { total: 0, online: 0 },
  });
});
