import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { propose } from '../../src/agentic/propose/action.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers, type Console } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const SOON = { timeout: 30_000 };

let world: World;
const data = prepared(() => freshDatabase());
beforeAll(async () => {
  world = await startWorld({ database: data });
});
afterAll(async () => {
  await world?.halt();
  await data?.remove();
});
const { at } = consoles(prepared(() => ({ base: world.base })));
const plant = prepared(() => onboard(world.admin));
beforeAll(() => measured(plant));

/** Reads the set-point, so that its value is known. */
async function measured({ deviceId, target: pointId }: Plant): Promise<void> {
  await world.admin.data('/api/v3/data/point_command/read', { deviceId, pointId });
  await eventually(
    () => world.admin.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
    (answer) => JSON.stringify(answer).includes('"hasLatestValue":true'),
  );
}

let last = 20;
async function proposed(more: { reason?: string } = {}): Promise<string> {
  last = last === 29 ? 20 : last + 1;
  const write = { deviceId: plant.deviceId, pointId: plant.target, value: String(last) };
  const { actionId } = await propose(world.app, agentIn(world.admin), { ...write, ...more });
  return actionId;
}

async function reviewed(actionId: string, shown = {}): Promise<Console> {
  const console = await at(`/review/${actionId}`, {}, shown);
  await console.page.getByRole('heading', { name: 'Proposal', level: 1 }).waitFor();
  return console;
}

const confirm = (page: Page) => page.getByRole('button', { name: 'Confirm' });
const statusOf = async (actionId: string): Promise<string> =>
  (await actionsIn(world, world.admin).actionOf(actionId)).status;

describe('the review of a proposal', () => {
  it('asks for the login first, confirms by the keyboard alone, and follows the write to what the device holds', async () => {
    const actionId = await proposed({ reason: 'The hall is cold' });
    const console = await reviewed(actionId);
    const { page } = console;
    await page.getByText('The hall is cold').waitFor();
    await page.getByText('Sent to the device').waitFor();
    await page.getByText('By which driver, and where to').click();
    await page.getByText(/^VirtualDriver \(\d+\)$/).waitFor();
    await page.getByText('5 to 30 °C').waitFor();
    expect(await barriers(console)).toEqual([]);
    const isThere = () => confirm(page).evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 40 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.chip.good', { hasText: 'done' }).waitFor(SOON);
    await page.getByText(`became ${last} °C`).waitFor(SOON);
    expect(await page.locator('.progress > .past').count()).toBe(5);
    expect(await confirm(page).count()).toBe(0);
    expect(await page.locator('main').evaluate((main) => main.matches(':focus'))).toBe(true);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('rejects with a reason that the agent reads, with one thumb', async () => {
    const actionId = await proposed();
    const console = await reviewed(actionId, { width: 360, height: 740, look: 'dark' });
    const { page } = console;
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wider)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Too warm');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.locator('.chip', { hasText: 'rejected' }).waitFor();
    await page.getByText('Too warm').first().waitFor();
    expect(await statusOf(actionId)).toBe('REJECTED');
    expectQuiet(console);
  });

  it('confirms no card that the person has not seen', async () => {
    const actionId = await proposed();
    const console = await reviewed(actionId);
    const { page } = console;
    await confirm(page).waitFor();
    await world.admin.data('/api/v3/manager/point/update', { id: plant.target, maxValue: 29.5 });
    await confirm(page).dblclick();
    await page.getByText('The card has changed since you saw it').waitFor(SOON);
    await page.getByText(/upper limit changed/).waitFor();
    expect(await confirm(page).getAttribute('aria-disabled')).toBe('true');
    await confirm(page).click({ force: true });
    expect(await statusOf(actionId)).toBe('PENDING');
    await page.getByRole('button', { name: 'Show the fresh card' }).click();
    await page.getByText('5 to 29.5 °C').waitFor();
    await confirm(page).click();
    await page.locator('.chip.good', { hasText: 'done' }).waitFor(SOON);
    // The refusal with the fresh card is an answer of its own to the browser.
    expect(console.wrong.filter((text) => !text.includes('412'))).toEqual([]);
  });

  it('shows the decision of another person at once', async () => {
    const actionId = await proposed();
    const [one, other] = [await reviewed(actionId), await reviewed(actionId)];
    await one.page.getByText('live', { exact: true }).waitFor();
    await confirm(other.page).click();
    await one.page.locator('.chip.good', { hasText: 'done' }).waitFor(SOON);
    await one.page.getByText('Decided by').waitFor();
    expect(await confirm(one.page).count()).toBe(0);
    expectQuiet(one);
    expectQuiet(other);
  });

  it('shows every text of the agent and of what it had read as a text', async () => {
    const actionId = await proposed({ reason: HOSTILE });
    const console = await reviewed(actionId);
    await console.page.getByText(HOSTILE).waitFor();
    expectQuiet(console);
  });

  it('shows several writes with what became of each', async () => {
    const { deviceId, target } = plant;
    const second = await onboard(world.admin);
    await measured(second);
    const writes = [
      { deviceId, pointId: target, value: '11' },
      { deviceId: second.deviceId, pointId: second.target, value: '12' },
    ];
    const rejected = { deviceId: second.deviceId, pointId: second.target, value: '12' };
    const earlier = await propose(world.app, agentIn(world.admin), rejected);
    await actionsIn(world, world.admin).decide('reject', earlier.actionId);
    const { actionId } = await propose(world.app, agentIn(world.admin), { writes });
    const console = await reviewed(actionId);
    const { page } = console;
    const note = page.locator('.note', { hasText: 'The same was rejected' });
    await note.getByText('Write 2:').waitFor();
    await page.getByText('11 °C').waitFor();
    await page.getByText('12 °C').waitFor();
    await confirm(page).click();
    await page.locator('.head .chip.good', { hasText: 'done' }).nth(2).waitFor(SOON);
    expectQuiet(console);
  });

  it('lets a person without the right look, not decide', async () => {
    const actionId = await proposed();
    const { name } = await worker(world.admin, ['svc-center-agentic:action:get']);
    const console = await at(`/review/${actionId}`, { name, password: PASSWORD });
    await console.page.getByText('You may look, not decide.').waitFor();
    expect(await confirm(console.page).count()).toBe(0);
    expectQuiet(console);
  });

  it('does not say whether a proposal of others exists', async () => {
    const theirs = await world.tenant('review-foreign');
    const { site, proposeIn } = actionsIn(world, theirs);
    const foreign = await proposeIn(await site());
    const texts: string[] = [];
    for (const id of [foreign.actionId, '00000000-0000-4000-8000-000000000000']) {
      const console = await reviewed(id);
      await console.page.getByText('It does not exist').waitFor();
      texts.push(await console.page.locator('main').innerText());
      await console.close();
    }
    expect(texts[0]).toBe(texts[1]);
  });

  it('goes on by itself after a restart of the platform', async () => {
    const actionId = await proposed();
    const console = await reviewed(actionId);
    const { page } = console;
    await page.getByText('live', { exact: true }).waitFor();
    const port = new URL(world.base).port;
    await world.halt();
    await page.getByText('no connection').waitFor(SOON);
    await confirm(page).waitFor();
    world = await startWorld({ database: data, environment: { SVC_PORT: port } });
    await page.getByText('live', { exact: true }).waitFor(SOON);
    await actionsIn(world, world.admin).decide('reject', actionId, { reason: 'Too late' });
    await page.locator('.chip', { hasText: 'rejected' }).waitFor(SOON);
  });
});
