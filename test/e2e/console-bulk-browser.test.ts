import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 60_000 };
const LIST = '/api/v3/manager/device/list';

const world = startedWorld();
const { at } = consoles(world);

/** A tenant with so many devices `boiler-1` … of one driver and profile. */
async function fleet(code: string, count: number): Promise<Session> {
  const mine = await world.tenant(code);
  const { driverId, profileId } = await onboard(mine);
  await inTenant(world.app.db, mine.tenantId, (q) =>
    sql`insert into svc_device (tenant_id, device_name, device_code, driver_id, profile_id)
      select ${mine.tenantId}, 'boiler-' || n, 'boiler-' || n, ${driverId}, ${profileId}
      from generate_series(1, ${count}) n`.execute(q),
  );
  return mine;
}

const totalOf = async (mine: Session, filter: object): Promise<number> =>
  z.looseObject({ total: z.number() }).parse(await mine.data(LIST, filter)).total;

describe('several devices at once', () => {
  it('are all put into a group: those that the list finds, with a bar, and nothing else', async () => {
    const mine = await fleet('bulk-group', 120);
    const groupId = await add(mine, 'group', { groupName: 'Line A', groupTypeFlag: 'DEVICE' });
    const console = await at('/devices?deviceName=boiler', 'bulk-group');
    const { page } = console;
    await page.getByRole('button', { name: 'Choose all 120 of the list' }).click();
    await page.getByText('120 chosen').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Put into a group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Put 120 devices into a group' });
    await dialog.getByLabel('Group').selectOption('Line A');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Put into a group' }).click();
    await dialog.getByText('Done with 120 of 120').waitFor(SOON);
    expect(await totalOf(mine, { groupId })).toBe(120);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('120 chosen').waitFor({ state: 'detached' });
    expectQuiet(console);
  });

  it('chosen by hand are disabled and deleted; one that refuses is named and leaves the others', async () => {
    const mine = await fleet('bulk-hand', 4);
    const console = await at('/devices', 'bulk-hand', { width: 390, look: 'dark' });
    const { page } = console;
    for (const name of ['boiler-1', 'boiler-2', 'boiler-3'])
      await page.getByLabel(`Choose ${name}`, { exact: true }).check();
    await page.getByText('3 chosen').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('Done with 3 of 3').waitFor(SOON);
    expect(await totalOf(mine, { enableFlag: 'DISABLE' })).toBe(3);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    for (const name of ['boiler-1', 'boiler-2'])
      await page.getByLabel(`Choose ${name}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    // Somebody else deletes one of them meanwhile.
    const { records } = z
      .looseObject({ records: z.array(z.looseObject({ id: z.string() })) })
      .parse(await mine.data(LIST, { deviceName: 'boiler-1' }));
    await mine.data('/api/v3/manager/device/delete', { id: records[0]?.id });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Done with 1 of 2').waitFor(SOON);
    await dialog.getByText('1 device refused').waitFor();
    await dialog.getByText('boiler-1').waitFor();
    expect(await totalOf(mine, { deviceName: 'boiler' })).toBe(2);
    expectQuiet(console, '404');
  });

  it('cannot be chosen by a person that may change none', async () => {
    const mine = await fleet('bulk-rights', 1);
    const { name } = await worker(mine, ['svc-center-manager:device:list']);
    const console = await at('/devices', { tenant: 'bulk-rights', name, password: PASSWORD });
    await console.page.getByRole('link', { name: 'boiler-1' }).waitFor();
    expect(await console.page.getByRole('checkbox').count()).toBe(0);
  });
});

describe('the lists for work', () => {
  it('marks the devices with an alarm that fires, and narrows alarms by level, group and device', async () => {
    const mine = await world.tenant('bulk-alarms');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P0' });
    const pump = await watched(world, mine, 'pump', { severity: 'P2' });
    for (const each of [boiler, pump]) await each.measure(91);
    const groupId = await add(mine, 'group', { groupName: 'Hall 1', groupTypeFlag: 'DEVICE' });
    await add(mine, 'group_bind', {
      entityTypeFlag: 'DEVICE',
      entityId: pump.site.deviceId,
      groupId,
    });
    const console = await at('/devices', 'bulk-alarms');
    const { page } = console;
    const row = page.getByRole('listitem').filter({ hasText: 'boiler' });
    await row.getByText('P0 critical').waitFor(SOON);
    await console.go('/alarms');
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count(), SOON).toBe(2);
    await page.getByLabel('Level').selectOption('P2 medium');
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await page.getByRole('link', { name: 'pump too hot' }).waitFor();
    await page.getByLabel('Level').selectOption('All');
    await page.getByLabel('Group').selectOption('Hall 1');
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await page.getByRole('link', { name: 'pump too hot' }).waitFor();
    await page.getByLabel('Group').selectOption('All');
    const { deviceName } = z.looseObject({ deviceName: z.string() }).parse(
      await mine.data('/api/v3/manager/device/get_by_id', undefined, {
        id: boiler.site.deviceId,
      }),
    );
    await page.getByLabel('Device', { exact: true }).fill(deviceName);
    await page.waitForURL(/deviceId=\d+/);
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor();
    await expect.poll(() => rows.count(), SOON).toBe(1);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: `${deviceName} only` }).click();
    await expect.poll(() => rows.count(), SOON).toBe(2);
    expectQuiet(console);
  });
});
