import { beforeEach, describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { ask, box, button, log, openChat } from '../support/console/open-chat.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };

const chatWorld = started(startChatWorld);
const world = prepared(() => chatWorld.world);
const { open } = consoles(chatWorld);

beforeEach(() => chatWorld.answer(() => say('All is well.')));

const opened = async (shown = {}, tenant?: string) => openChat(await open(shown), tenant);

describe('conversations', () => {
  it('are listed page by page, renamed, and deleted when the person says so', async () => {
    const session = await world.tenant('chat-list');
    for (let at = 1; at <= 21; at += 1) await chat(session, `Question ${at}.`, { store: true });
    const console = await opened({}, 'chat-list');
    const { page } = console;
    const list = page.getByRole('complementary', { name: 'Conversations' });
    await list.getByRole('link', { name: 'Question 21.' }).waitFor();
    expect(await list.getByRole('link').count()).toBe(20);
    await list.getByRole('button', { name: 'Next' }).click();
    await list.getByRole('link', { name: 'Question 1.' }).click();
    await log(page).getByText('All is well.').waitFor(SOON);
    expect(new URL(page.url()).search).toBe('?page=2');
    await button(page, 'Rename Question 1.').click();
    await page.getByRole('dialog').getByLabel('Name').fill('The first one');
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Name').press('Tab');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'The first one', level: 1 }).waitFor(SOON);
    // It is the latest now.
    await list.getByRole('button', { name: 'Back' }).click();
    await button(page, 'Delete The first one').click();
    await page.getByText('are deleted for good').waitFor();
    await button(page, 'Cancel').click();
    await button(page, 'Delete The first one').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'New conversation', level: 1 }).waitFor(SOON);
    await list.getByRole('link', { name: 'Question 2.' }).waitFor(SOON);
    expect(await list.getByRole('link', { name: 'The first one' }).count()).toBe(0);
    expectQuiet(console);
    await page.goBack();
    await page.getByText('There is no such conversation').waitFor(SOON);
    expectQuiet(console, '404');
  });

  it('keep the model that was chosen', async () => {
    const session = await world.tenant('chat-models');
    const { baseUrl } = chatWorld.model;
    const added = { name: 'local', providerType: 0, baseUrl, model: 'gpt-a', apiKey: 'k' };
    const providerId = await session.data('/api/v3/agentic/provider/config/add', added);
    for (const model of ['gpt-a', 'gpt-b'])
      await session.data('/api/v3/agentic/model/config/add', { model, label: model, providerId });
    const console = await opened({}, 'chat-models');
    const { page } = console;
    await page.getByLabel('Model').selectOption({ label: 'gpt-b · local' });
    await ask(page, 'Which one are you?');
    await log(page).getByText('Assistant · gpt-b').waitFor(SOON);
    expect(chatWorld.model.requests.at(-1)?.model).toBe('gpt-b');
    await page.reload();
    await log(page).getByText('All is well.').waitFor(SOON);
    expect(await page.getByLabel('Model').inputValue()).toBe('local/gpt-b');
    expectQuiet(console);
  });

  it('take files with a message, and say which are not taken', async () => {
    const console = await opened();
    const { page } = console;
    const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Seal is worn') };
    const other = { name: 'a.zip', mimeType: 'image/png', buffer: Buffer.from('PK\x03\x04') };
    await page.locator('input[type=file]').setInputFiles([text, other]);
    await page.getByText('12 B').waitFor();
    await ask(page, 'What do my notes say?');
    await page.getByText(/not taken: Taken are PNG/).waitFor(SOON);
    expect(await box(page).inputValue()).toBe('What do my notes say?');
    expect(await barriers(console)).toEqual([]);
    await button(page, 'Take off a.zip').click();
    await box(page).press('Enter');
    await log(page).getByText('All is well.').waitFor(SOON);
    await log(page).getByText('notes.txt').waitFor();
    expect(JSON.stringify(chatWorld.model.requests.at(-1))).toContain('Seal is worn');
    expectQuiet(console, '415');
  });

  it('say the next step where no model is set up', async () => {
    const none = await startWorld();
    try {
      const console = await open({}, none.base);
      await console.go('/chat');
      await logIn(console);
      const { page } = console;
      await page.getByText('No model is set up').waitFor();
      expect(await box(page).count()).toBe(0);
      expect(await barriers(console)).toEqual([]);
      await page.getByRole('link', { name: /The next step: Settings/ }).click();
      await page.getByRole('heading', { name: 'Models of the chat' }).waitFor();
      expectQuiet(console);
      await console.close();
    } finally {
      await none.stop();
    }
  });

  it('speak Chinese', async () => {
    chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('一切正常。'),
    );
    const console = await opened({ language: 'zh' });
    const { page } = console;
    await ask(page, '有什么设备？');
    await log(page).getByText('一切正常。').waitFor(SOON);
    await page.locator('.steps .chip', { hasText: '完成' }).waitFor();
    await page.getByRole('button', { name: '重命名 有什么设备？' }).waitFor(SOON);
    expect(await page.locator('main').innerText()).not.toMatch(/You|Send|Stop|Rename/);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
