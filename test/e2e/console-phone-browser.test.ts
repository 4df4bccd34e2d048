import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';

const NOTIFY = '/api/v3/data/notify';
const PHONE = { width: 390, height: 844, look: 'dark' } as const;

const world = startedWorld();
const { open } = consoles(world);

/** A policy that reminds over a channel of mail. */
async function policyOf(session: Session): Promise<string> {
  const channelId = await session.data(`${NOTIFY}/channel/add`, {
    channelName: 'Shift',
    channelTypeFlag: 'EMAIL',
    target: 'shift@example.org',
  });
  const notifyExt = { content: { repeat: { enabled: true } } };
  const notifyId = await session.data(`${NOTIFY}/add`, { notifyName: 'Night', notifyExt });
  await session.data(`${NOTIFY}/channel/bind/add`, { notifyId, channelId });
  return String(notifyId);
}

describe('on a phone', () => {
  it('an alarm is confirmed from the link of a message: log in, and press what is in sight; its rule fits', async () => {
    const mine = await world.tenant('night-phone');
    const notifyId = await policyOf(mine);
    const boiler = await watched(world, mine, 'boiler', { severity: 'P0', notifyId });
    await boiler.measure(60, 91);
    const { records } = Records.parse(
      await mine.data('/api/v3/data/dashboard/alert/page', { source: 'point' }),
    );
    const console = await open(PHONE);
    const { page } = console;
    await console.go(`/alarms/${records[0]?.id}`);
    const [tenant, name] = [page.getByLabel('Tenant'), page.getByLabel('Login name')];
    // The keyboard of a phone begins a text with a capital letter otherwise.
    for (const field of [tenant, name])
      expect(await field.getAttribute('autocapitalize')).toBe('none');
    await tenant.fill('night-phone');
    await name.fill('night-phone-admin');
    await page.getByLabel('Password').fill(testEnvironment.SVC_ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    const confirm = page.getByRole('button', { name: 'Confirm boiler too hot' });
    await confirm.waitFor();
    await page.getByText('91 °C').first().waitFor();
    const navigation = await page.getByRole('navigation', { name: 'Pages' }).boundingBox();
    const button = await confirm.boundingBox();
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThan(navigation?.y ?? 0);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await confirm.click();
    await page.locator('.chip', { hasText: 'firing, confirmed' }).waitFor();
    await console.go(`/rules/${boiler.ruleId}`);
    await page.getByText('Shift, reminder').first().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
