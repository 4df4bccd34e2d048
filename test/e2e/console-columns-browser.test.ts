import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report, type Site } from '../tools/agent.ts';

const SOON = { timeout: 30_000 };
const HOUR_MS = 3_600_000;
const HOURS = 20;

const world = startedWorld();
const { at } = consoles(world);

/** Values of the last day, two an hour. */
async function day(session: Session, { deviceId, pointId }: Site): Promise<void> {
  const now = world.clock.now();
  const values = Array.from({ length: 2 * HOURS }, (_, index) => ({
    deviceId,
    pointId,
    value: 20 + Math.sin(index / 4) * 3,
    createTime: new Date(now - HOURS * HOUR_MS + (index * HOUR_MS) / 2).toISOString(),
  }));
  await session.data('/api/v3/data/point_value/import', { values });
}

const Body = z.object({ pairs: z.array(z.unknown()), parts: z.number() });

describe('the columns of the list of devices', () => {
  it('are chosen, kept in the address and a view, and show what is known of each device', async () => {
    const mine = await world.tenant('columns');
    const site = await onboard(mine, 'boiler');
    const groupId = await add(mine, 'group', { groupName: 'Hall 3', groupTypeFlag: 'DEVICE' });
    await add(mine, 'group_bind', { entityTypeFlag: 'DEVICE', entityId: site.deviceId, groupId });
    await mine.data('/api/v3/manager/device/update', { id: site.deviceId, remark: 'by the door' });
    const devices = [
      {
        tenantId: mine.tenantId,
        deviceId: site.deviceId,
        status: 'ONLINE' as const,
        description: '',
      },
    ];
    const state = {
      driverCode: site.driverCode,
      node: 'test',
      at: world.clock.now(),
      leaseMs: 45_000,
      devices,
    };
    await world.bus.handled('svc.e.state', state, site.driverCode);
    const console = await at('/devices', 'columns');
    const { page } = console;
    const row = page.getByRole('main').getByRole('listitem').first();
    await row.getByText('by the door').waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Narrow the list to one profile').waitFor();
    expect(await barriers(console)).toEqual([]);
    for (const name of ['Last heard', 'Group', 'Profile', 'Driver', 'Remark'])
      await dialog.getByRole('checkbox', { name, exact: true }).check();
    await dialog.getByRole('checkbox', { name: 'Why it is away' }).uncheck();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => new URL(page.url()).searchParams.get('columns'))
      .toBe('alarm,heard,group,profile,driver,remark');
    for (const text of ['Hall 3', 'boiler driver', 'by the door', /ago|now/])
      await row.getByText(text).first().waitFor(SOON);
    // For those who do not see the titles above the rows.
    expect(await row.textContent()).toContain('Group Hall 3');
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await row.getByText('Hall 3').waitFor(SOON);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Shift');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete this view: Shift' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await row.getByText('Hall 3').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await dialog.getByRole('button', { name: 'As usual' }).click();
    await page.keyboard.press('Escape');
    await row.getByText('Hall 3').waitFor({ state: 'detached' });
    expectQuiet(console);
  });

  it('are last values with the line of their last day, asked for once for the rows in the window', async () => {
    const mine = await world.tenant('columns-day');
    const site = await onboard(mine, 'many');
    const { driverId, profileId } = site;
    for (let index = 1; index < 70; index += 1)
      await add(mine, 'device', { deviceName: `many ${index}`, driverId, profileId });
    await day(mine, site);
    await report(world, mine, site, [21.5]);
    const console = await at(`/devices?profileId=${profileId}&order=createTime`, 'columns-day', {
      look: 'dark',
    });
    const { page } = console;
    const asked: number[] = [];
    page.on('request', (request) => {
      if (!request.url().endsWith('/point_value/trend')) return;
      const { pairs, parts } = Body.parse(request.postDataJSON());
      expect(parts).toBe(24);
      asked.push(pairs.length);
    });
    const row = page.getByRole('main').getByRole('listitem').first();
    await row.waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'many set-point' }).check();
    await page.keyboard.press('Escape');
    await row.getByText('21.5').waitFor(SOON);
    await row.getByText(/last day 17 to 2[23]/).waitFor({ ...SOON, state: 'attached' });
    expect(await row.locator('svg.day').count()).toBe(1);
    // Those in the window alone, of 70, together.
    expect(asked.length).toBe(1);
    expect(asked[0]).toBeGreaterThan(5);
    expect(asked[0]).toBeLessThan(30);
    expect(await barriers(console)).toEqual([]);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await expect.poll(() => asked.length, SOON).toBe(2);
    await page.evaluate('scrollTo(0, 0)');
    await row.getByText('21.5').waitFor(SOON);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.getByText('21.5').waitFor(SOON);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});

describe('a choice of a device', () => {
  it('says how many it does not offer, and finds them by a part of the name', async () => {
    const mine = await world.tenant('choice-many');
    const { driverId, profileId } = await onboard(mine, 'choice');
    for (let index = 1; index < 25; index += 1)
      await add(mine, 'device', { deviceName: `unit ${index}`, driverId, profileId });
    const console = await at('/alarms', 'choice-many', { width: 390 });
    const { page } = console;
    await page.getByText('20 of 25: a part of the name finds the others.').waitFor();
    await page.getByLabel('Device', { exact: true }).fill('unit 2');
    await page.getByText(/a part of the name/).waitFor({ state: 'detached' });
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
