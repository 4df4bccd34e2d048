import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { raised } from '../support/dashboard/raised.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

async function stormy(session: Session): Promise<void> {
  const { ruleId, site } = await watched(world, session, 'boiler');
  const boiler = { ruleId, deviceId: site.deviceId };
  const storm = Array.from({ length: 12 }, (_, n) => 51 + n / 10);
  await raised(world, session, { ...boiler, confirmedAfter: 6 }, storm);
  await raised(world, session, { ...boiler, ruleId: '0' }, [100, 200, 300, 400]);
  await raised(world, session, { ...boiler, fires: true }, [3 * 1_440]);
}

describe('the performance of alarms', () => {
  it('is reached from the alarms, and says rates with their benchmark, and the worst rules', async () => {
    await stormy(await world.tenant('stormy'));
    const console = await at('/alarms', 'stormy');
    const { page } = console;
    await page.getByRole('link', { name: 'Alarm performance' }).click();
    await page.getByRole('heading', { name: 'Alarm performance' }).waitFor();
    await page.getByText('0.11', { exact: true }).waitFor();
    await page.locator('.chip', { hasText: 'very likely acceptable' }).waitFor();
    await page.getByText('0.7 %', { exact: true }).waitFor();
    await page.getByText('one flood', { exact: true }).waitFor();
    await page.getByText('6 min', { exact: true }).waitFor();
    const top = page.getByRole('table', { name: 'Most frequent rules' });
    expect(await top.getByRole('row', { name: /boiler too hot/ }).innerText()).toMatch(/12\s+75 %/);
    await top.getByText('Without a rule: outages and reports').waitFor();
    await page
      .getByRole('table', { name: 'Chattering alarms' })
      .getByText('boiler')
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'One stale alarm' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/span=7/);
    await page.getByText('17', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'One stale alarm' })
      .getByRole('link', { name: 'boiler too hot' })
      .click();
    await page.waitForURL(/\/alarms\/\d+$/);
    expectQuiet(console);
  });

  it('fits a phone, in Chinese and in the dark, with and without alarms', async () => {
    await stormy(await world.tenant('stormy-zh'));
    await world.tenant('calm-zh');
    const shown = { width: 360, language: 'zh', look: 'dark' } as const;
    const console = await at('/alarms/performance', 'stormy-zh', shown);
    const { page } = console;
    await page.getByText('很可能可接受').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
    const calm = await at('/alarms/performance', 'calm-zh', shown);
    await calm.page.getByText('这段时间没有触发告警。').waitFor();
    expectQuiet(calm);
  });
});
