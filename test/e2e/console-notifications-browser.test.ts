import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';

import { noteTried } from '../../src/auth/agent/hold.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startWebhookReceiver, status, verified } from '../support/neighbours/webhook-receiver.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { Records } from '../support/people/shapes.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const DATA = '/api/v3/data';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { at } = consoles(world);

beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

const opened = (tenant: string, shown = {}, person = {}) =>
  at('/notifications', { tenant, name: `${tenant}-admin`, ...person }, shown);

async function addChannel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a channel', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Kind').selectOption('Webhook');
  await dialog.getByLabel('URL').fill(hook.url);
  await dialog.getByLabel('Secret').fill(webhookSecret);
  await dialog.getByRole('button', { name: 'Add a channel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(name, { exact: true }).waitFor();
}

describe('the notifications', () => {
  it('offer the forms of vendors, and keep the URL of a webhook as a secret', async () => {
    await world.tenant('vendors');
    const { page } = await opened('vendors');
    await page.getByRole('button', { name: 'Add a channel', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Chat');
    await dialog.getByLabel('Kind').selectOption('Slack');
    expect(await dialog.getByLabel('URL', { exact: true }).count()).toBe(0);
    const secret = `http://${hook.hostPort}/services/T0/B0/SECRETSECRET`;
    await dialog.getByLabel('Secret').fill(secret);
    await dialog.getByRole('button', { name: 'Add a channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Slack', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Test Chat' }).click();
    await page.getByText('the test was taken').waitFor();
    expect(hook.received).toMatchObject([{ path: '/services/T0/B0/SECRETSECRET' }]);
    await page.getByRole('button', { name: 'Edit Chat' }).click();
    await dialog.getByLabel('Name').fill('Shift chat');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Test Shift chat' }).click();
    await expect.poll(() => hook.received.length).toBe(2);
    expect(await page.content()).not.toContain('SECRETSECRET');
  });

  it('take the secret of the answers of a pager, and say where they go', async () => {
    const mine = await world.tenant('answering');
    const { page } = await opened('answering');
    await page.getByRole('button', { name: 'Add a channel', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Pager');
    await dialog.getByLabel('Kind').selectOption('PagerDuty');
    await dialog.getByLabel('Server').fill(`http://${hook.hostPort}`);
    await dialog.getByLabel('Secret', { exact: true }).fill('0123456789abcdef0123456789abcdef');
    await dialog.getByLabel('Secret of its answers').fill('secret-of-the-subscription');
    await dialog.getByRole('button', { name: 'Add a channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit Pager' }).click();
    await dialog.getByText('One is kept; leave it empty to keep it.', { exact: true }).waitFor();
    const [channel] = Records.parse(await mine.data(`${DATA}/notify/channel/list`, {})).records;
    expect(channel).toMatchObject({ answerSecretSet: true });
    expect(await dialog.getByLabel('Where its answers go', { exact: true }).innerText()).toBe(
      `${world.base}${DATA}/notify/channel/answer?tenantId=${mine.tenantId}&channelId=${channel?.['id']}`,
    );
    expect(await page.content()).not.toContain('secret-of-the-subscription');
  });

  it('make a secret for a webhook, which signs what it receives', async () => {
    await world.tenant('signing');
    const { page } = await opened('signing');
    await page.getByRole('button', { name: 'Add a channel', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Own receiver');
    await dialog.getByLabel('Kind').selectOption('Webhook');
    await dialog.getByLabel('URL').fill(hook.url);
    await dialog.getByRole('button', { name: 'Make a secret' }).click();
    const secret = await dialog.getByLabel('The new secret', { exact: true }).innerText();
    await dialog.getByRole('button', { name: 'Add a channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Test Own receiver' }).click();
    await page.getByText('the test was taken').waitFor();
    const [request] = hook.received;
    if (!request) throw new Error('nothing arrived');
    expect(verified(secret, request)).toBeTypeOf('object');
    expect(await page.content()).not.toContain(secret);
  });

  it('are set up from a channel that was tried to an alarm that was told', async () => {
    const mine = await world.tenant('told');
    const console = await opened('told');
    const { page } = console;
    await page.getByText('There is no channel.').waitFor();
    await page.getByText('There is no policy.').waitFor();
    await page.getByText('Nothing was sent yet.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await addChannel(page, 'Shift leader');
    await page.getByRole('button', { name: 'Test Shift leader' }).click();
    await page.getByText('the test was taken').waitFor();
    expect(hook.received).toHaveLength(1);
    hook.answer(status(503));
    await page.getByRole('button', { name: 'Test Shift leader' }).click();
    await page.getByText('the receiver was not reached').waitFor();
    await page.getByText(/HTTP 503/).waitFor();
    hook.answer(status(204));

    await page.getByRole('button', { name: 'Add a policy', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Night');
    await dialog.getByLabel('Minutes between two firings').fill('15');
    await dialog.getByLabel('Remind while it goes on').check();
    await dialog.getByLabel('Minutes between reminders').fill('30');
    await dialog.getByLabel('devices and drivers that are away').check();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a policy' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('At most one firing in 15 min is sent.').waitFor();
    await page.getByText('Reminds every 30 min, 24 times at most.').waitFor();
    await page.getByText('No channel is bound').waitFor();
    await page.getByLabel('Add a channel to Night').selectOption('Shift leader');
    await page.getByRole('button', { name: 'Take Shift leader from Night' }).waitFor();
    expect(await page.getByText('No channel is bound').count()).toBe(0);

    const { records } = Records.parse(await mine.data(`${DATA}/notify/list`, {}));
    const boiler = await watched(world, mine, 'boiler', { notifyId: records[0]?.id ?? '0' });
    await boiler.measure(85);
    await until(() => expect(hook.received).toHaveLength(3));
    await page.reload();
    const sent = page.getByRole('list', { name: 'What was sent' });
    await sent.getByText('that it fires').waitFor();
    await until(async () => {
      await page.reload();
      await sent.getByText('arrived', { exact: true }).waitFor({ timeout: 2_000 });
    });
    await page.getByLabel('State').selectOption('did not arrive');
    await page.getByText('Nothing is in this state.').waitFor();
    await page.getByLabel('State').selectOption('All');
    await sent.getByRole('link').first().click();
    await page.waitForURL(/\/alarms\/\d+$/);
    expectQuiet(console);
  });

  it('lead to no alarm where an account security event was sent', async () => {
    const mine = await world.tenant('secure');
    const channelId = await mine.data(`${DATA}/notify/channel/add`, {
      channelName: 'Security',
      channelTypeFlag: 'WEBHOOK',
      target: hook.url,
      credential: webhookSecret,
    });
    const notifyExt = { content: { alarmTypes: ['IDENTITY'] } };
    const notifyId = await mine.data(`${DATA}/notify/add`, { notifyName: 'Security', notifyExt });
    await mine.data(`${DATA}/notify/channel/bind/add`, { notifyId, channelId });
    const { tenantId } = mine;
    const agent = { tenantId, principalId: '77', principalType: 'USER', name: 'robot' } as const;
    noteTried(world.app, agent, 'POST /api/v3/x', '203.0.113.1');
    await until(() => expect(hook.received).toHaveLength(1));
    const console = await opened('secure');
    const sent = console.page.getByRole('list', { name: 'What was sent' });
    await sent.getByText('An agent asked for what only people may do').waitFor();
    expect(await sent.getByRole('link').count()).toBe(0);
    await console.page
      .getByText('agents that try what only people may do, and login guessing')
      .first()
      .waitFor();
    expectQuiet(console);
  });

  it('are changed, switched off and removed by the keyboard alone, unless something uses them', async () => {
    const mine = await world.tenant('changed');
    const channelId = await mine.data(`${DATA}/notify/channel/add`, {
      channelName: 'Old name',
      channelTypeFlag: 'EMAIL',
      target: 'shift@example.org',
    });
    const notifyId = await mine.data(`${DATA}/notify/add`, {
      notifyName: 'Kept',
      notifyExt: { content: { rateLimit: { intervalMs: 60_000, maxCount: 3 } } },
    });
    await mine.data(`${DATA}/notify/channel/bind/add`, { notifyId, channelId });
    const console = await opened('changed');
    const { page } = console;
    const press = async (name: string): Promise<void> => {
      const button = page.getByRole('button', { name, exact: true });
      await button.waitFor();
      const isThere = () => button.evaluate((element) => element.matches(':focus'));
      for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
        await page.keyboard.press('Tab');
      expect(await isThere()).toBe(true);
      await page.keyboard.press('Enter');
    };
    await press('Edit Old name');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('New name');
    await press('Save');
    await page.getByText('New name', { exact: true }).first().waitFor();
    await press('Disable New name');
    await page.locator('.chip', { hasText: 'disabled' }).waitFor();
    await press('Delete New name');
    await press('Delete');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await press('Edit Kept');
    await press('Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('At most 3 firings in 1 min are sent.').waitFor();
    await press('Take New name from Kept');
    await page.getByText('No channel is bound').waitFor();
    await press('Delete New name');
    await press('Delete');
    await page.getByText('There is no channel.').waitFor();
    // The browser says each answer that refuses.
    expect(console.wrong.filter((line) => !/status of 409/.test(line))).toEqual([]);
  });

  it('have words of their own, shown with an example alarm before they are saved', async () => {
    await world.tenant('worded');
    const console = await opened('worded');
    const { page } = console;
    await page.getByRole('button', { name: 'Add a template', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Short');
    await dialog.getByLabel('For').selectOption('Text message');
    await dialog.getByLabel('Title').fill('{{level}} {{deviceName}}');
    await dialog.getByLabel('Text', { exact: true }).fill('{{message}} {{colour}}');
    const preview = dialog.getByRole('region', { name: 'With an example alarm' });
    await preview.getByText('P1 Boiler 2').waitFor();
    await preview.getByText('Nothing fills: colour').waitFor();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a template' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit Short' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('{{level}} {{deviceName}}');
    expectQuiet(console);
  });

  it('fit a phone, in Chinese and in the dark', async () => {
    const mine = await world.tenant('told-zh');
    await mine.data(`${DATA}/notify/channel/add`, {
      channelName: '值班',
      channelTypeFlag: 'EMAIL',
      target: 'shift@example.org',
    });
    await mine.data(`${DATA}/notify/add`, { notifyName: '夜班' });
    const console = await opened('told-zh', { width: 360, language: 'zh', look: 'dark' });
    const { page } = console;
    await page.getByRole('heading', { name: '通知', level: 1 }).waitFor();
    await page.getByText('没有绑定渠道').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '添加策略', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('are shown as far as the rights reach', async () => {
    const mine = await world.tenant('told-some');
    await mine.data(`${DATA}/notify/add`, { notifyName: 'Night' });
    const { name } = await worker(mine, ['svc-center-data:notify:list']);
    const console = await opened('told-some', {}, { name, password: PASSWORD });
    const { page } = console;
    await page.getByText('Night', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Channels' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Night/ }).count()).toBe(0);
    expectQuiet(console);
  });
});
