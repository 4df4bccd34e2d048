import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

describe('the changes', () => {
  it('say in words what was changed, by whom and from what to what, page by page', async () => {
    const mine = await world.tenant('changes-all');
    const { target } = await onboard(mine);
    await mine.data('/api/v3/manager/point/update', { id: target, maxValue: 29 });
    const console = await at('/changes', 'changes-all', { width: 360, look: 'dark' });
    const { page } = console;
    const first = page.getByRole('main').getByRole('listitem').first();
    await first.getByText('point changed: max_value').waitFor();
    await first.getByText('target').waitFor();
    await first.getByText('29').waitFor();
    await first.getByText('changes-all-admin').waitFor();
    await first.getByText('with a login').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('Since').selectOption('day');
    await page.waitForURL(/span=day/);
    await first.getByText('point changed: max_value').waitFor();
    expect(console.wrong).toEqual([]);
    expect(console.outside).toEqual([]);
  });

  it('are for those that may read them', async () => {
    const mine = await world.tenant('changes-none');
    const { name } = await worker(mine, ['svc-center-agentic:action:get']);
    const console = await at('/changes', { tenant: 'changes-none', name, password: PASSWORD });
    await console.page.getByText('Your rights do not reach here').waitFor();
    expect(await console.page.getByRole('navigation').getByText('Changes').count()).toBe(0);
  });
});
