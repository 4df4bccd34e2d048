import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

const APPROVALS = '/api/v3/agentic/approval';

const world = startedWorld();
const { at } = consoles(world);

describe('the standing approvals', () => {
  it('are switched on, made on a card of their own, listed with what is left, and revoked', async () => {
    const mine = await world.tenant('approvals-make');
    const { deviceId } = await onboard(mine);
    await mine.data('/api/v3/auth/service_account/add', { serviceAccountName: 'night agent' });
    const console = await at('/approvals', 'approvals-make', { width: 360, look: 'dark' });
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.locator('.chip', { hasText: 'switched off' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve beforehand' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Switch on' }).click();
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    await page.locator('.chip', { hasText: 'switched on' }).waitFor();
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Approve beforehand' }).click();
    await dialog.getByLabel('Agent').selectOption({ label: 'night agent' });
    await dialog.getByLabel('Device', { exact: true }).selectOption(deviceId);
    await dialog.getByLabel('Point').selectOption({ label: 'target' });
    await dialog.getByText('5 to 30 °C').waitFor();
    await dialog.getByLabel('From').fill('18');
    await dialog.getByLabel('To', { exact: true }).fill('99');
    await dialog.getByLabel('Largest step').fill('1');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Look at the card' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('To', { exact: true }).fill('22');
    await dialog.getByRole('button', { name: 'Look at the card' }).click();
    await dialog.getByText(/18.*22/).waitFor();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('10 of 10 uses left').waitFor();
    await page.locator('.chip', { hasText: 'active' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    const [made] = z
      .array(z.object({ status: z.string(), points: z.array(z.looseObject({ max: z.number() })) }))
      .parse(await mine.data(`${APPROVALS}/list`, {}));
    expect(made).toMatchObject({ status: 'ACTIVE', points: [{ min: 18, max: 22, maxStep: 1 }] });
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Nothing is approved beforehand.').waitFor();
    await page.getByLabel('Also those that have ended').check();
    await page.locator('.chip', { hasText: 'revoked' }).waitFor();
    expect(console.wrong.filter((text) => !text.includes('422'))).toEqual([]);
    expect(console.outside).toEqual([]);
  });

  it('are shown, not made, without the right', async () => {
    const mine = await world.tenant('approvals-narrow');
    await mine.data(`${APPROVALS}/switch/set`, { on: true });
    const { name } = await worker(mine, [
      'svc-center-agentic:approval:list',
      'svc-center-agentic:approval:get',
    ]);
    const console = await at('/approvals', {
      tenant: 'approvals-narrow',
      name,
      password: PASSWORD,
    });
    await console.page.getByText('Nothing is approved beforehand.').waitFor();
    expect(await console.page.getByRole('button', { name: /Approve|Switch/ }).count()).toBe(0);
    expectQuiet(console);
  });
});
