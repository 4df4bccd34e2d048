import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { raised } from '../support/dashboard/raised.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

describe('the order of a list', () => {
  it('of profiles and rules is that of the server over all pages, and stays in the address', async () => {
    const mine = await world.tenant('ordered');
    const { temperature } = await onboard(mine);
    for (let index = 1; index <= 55; index += 1)
      await add(mine, 'profile', { profileName: `Kiln ${index}` });
    for (const ruleName of ['Rule 10', 'rule 2', 'Rule 1'])
      await mine.data('/api/v3/data/rule/add', {
        ruleName,
        alarmTargetTypeFlag: 'POINT',
        entityId: temperature,
        ruleExt: {
          content: {
            condition: { field: 'value', operator: '>', threshold: 90 },
            severity: ruleName === 'rule 2' ? 'P0' : 'P2',
          },
        },
      });
    const console = await at('/profiles?page=2', 'ordered');
    const { page } = console;
    const rows = page.getByRole('main').getByRole('listitem');
    await rows.first().waitFor();
    await page.getByLabel('Order').selectOption({ label: 'by name' });
    await page.waitForURL(/\/profiles\?order=profileName$/);
    await rows.nth(1).getByText('Kiln 2', { exact: true }).waitFor();
    await rows.nth(9).getByText('Kiln 10', { exact: true }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await rows.nth(9).getByText('Kiln 10', { exact: true }).waitFor();
    await console.go('/rules');
    await page.getByLabel('Order').selectOption({ label: 'by name, from the end' });
    await rows.first().getByText('Rule 10').waitFor();
    await page.getByLabel('Order').selectOption({ label: 'most urgent first' });
    await rows.first().getByText('rule 2').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });

  it('of alarms is newest first where a person asks for it, also on a phone', async () => {
    const mine = await world.tenant('ordered-alarms');
    const { deviceId } = await onboard(mine);
    await raised(world, mine, { ruleId: '1', deviceId, fires: true }, [300]);
    await raised(world, mine, { ruleId: '2', deviceId }, [1]);
    const console = await at('/alarms', 'ordered-alarms', { width: 390, look: 'dark' });
    const { page } = console;
    const first = page.getByRole('main').locator('li.alarm').first();
    await first.getByText('firing').waitFor();
    await page.getByLabel('Order').selectOption('newest first');
    await page.waitForURL(/order=-since/);
    await first.getByText('recovered').waitFor();
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });
});
