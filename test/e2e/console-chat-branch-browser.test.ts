import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { ask, button, log, openChat } from '../support/console/open-chat.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { call, frame, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { attach } from '../support/people/upload.ts';
import { startTcpProxy } from '../support/proxies/tcp-proxy.ts';
import { prepared, started } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const Told = z.looseObject({ value: z.string() });

const chatWorld = started(startChatWorld);
const { open } = consoles(chatWorld);
const plant = prepared(() => onboard(chatWorld.world.admin));

describe('a conversation', () => {
  it('is branched by another wording and by another answer, and each is gone back to', async () => {
    let count = 0;
    chatWorld.answer(() => {
      count += 1;
      return say(`Reply number ${count}.`);
    });
    const console = await openChat(await open());
    const { page } = console;
    await ask(page, 'First wording');
    await log(page).getByText('Reply number 1.').waitFor(SOON);
    await button(page, 'Answer again').click();
    await log(page).getByText('Reply number 2.').waitFor(SOON);
    await log(page).getByText('2 of 2').waitFor(SOON);
    expect(await log(page).getByText('Reply number 1.').count()).toBe(0);
    await button(page, 'The version before').click();
    await log(page).getByText('Reply number 1.').waitFor(SOON);
    await button(page, 'Edit').click();
    await page.getByLabel(/Another wording/).fill('Second wording');
    await log(page).getByRole('button', { name: 'Send', exact: true }).click();
    await log(page).getByText('Reply number 3.').waitFor(SOON);
    await log(page).getByText('2 of 2').waitFor(SOON);
    expect(await page.locator('.typed').allInnerTexts()).toEqual(['Second wording']);
    expect(await barriers(console)).toEqual([]);
    await button(page, 'The version before').click();
    await page.locator('.typed', { hasText: 'First wording' }).waitFor(SOON);
    expectQuiet(console);
  });

  it('is found by its words, and saved as a file', async () => {
    chatWorld.answer(() => say('The brine tank holds seven degrees.'));
    const console = await openChat(await open());
    const { page } = console;
    await ask(page, 'How cold is it?');
    await log(page).getByText('The brine tank').waitFor(SOON);
    await page.getByLabel('Search conversations').fill('BRINE seven');
    await page.locator('.excerpt', { hasText: 'The brine tank holds' }).waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('Search conversations').fill('no such words');
    await page.getByText('No conversation has these words.').waitFor(SOON);
    const saved = page.waitForEvent('download');
    await button(page, 'Save as Markdown').click();
    const text = await readFile(await (await saved).path(), 'utf8');
    expect(text).toContain('# How cold is it?');
    expect(text).toContain('The brine tank holds seven degrees.');
    expectQuiet(console);
  });

  it('shows the value, time and device behind a figure, also after a reload, in Chinese too', async () => {
    const { deviceId, target: pointId } = plant;
    let figure = '';
    chatWorld.answer((sent) => {
      if (inTurn(sent) === 0) return call(['readPointValue', { deviceId, pointId }]);
      const told: unknown = JSON.parse(sent.messages.at(-1)?.content ?? '{}');
      figure = Number(Told.parse(told).value).toFixed(1);
      return say(`It is ${figure} now.`);
    });
    const console = await openChat(await open({ language: 'zh' }));
    const { page } = console;
    await ask(page, 'How warm is it?');
    const sources = page.getByRole('list', { name: '数字的来源' });
    await sources.waitFor(SOON);
    await page.reload();
    await sources.waitFor(SOON);
    expect(await sources.locator('li').count()).toBe(1);
    expect(await sources.locator('a').getAttribute('href')).toContain(`/devices/${deviceId}`);
    expect(await sources.locator('time').count()).toBe(1);
    expect(await page.locator('.prose sup').innerText()).toBe('1');
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('goes on where it was when the connection comes back, without a word twice', async () => {
    const { promise: back, resolve: goOn } = Promise.withResolvers<void>();
    chatWorld.answer(() => async (res) => {
      const chunk = (content: string, finish: string | null = null) =>
        frame({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(chunk('It begins and '));
      await back;
      res.end(`${chunk('goes on to its end.', 'stop')}data: [DONE]\n\n`);
    });
    const { hostname: host, port } = new URL(chatWorld.world.base);
    const between = await startTcpProxy({ host, port: Number(port) });
    const console = await openChat(await open({}, `http://127.0.0.1:${between.port}`));
    const { page } = console;
    await ask(page, 'Tell me all');
    await log(page).getByText('It begins and').waitFor(SOON);
    between.cut();
    await page.getByText('Connecting again').waitFor(SOON);
    between.mend();
    goOn();
    await log(page).getByText('It begins and goes on to its end.').waitFor(SOON);
    await page.locator('[role=log][aria-busy=false]').waitFor(SOON);
    expect(await page.getByText('The connection was lost while it answered.').count()).toBe(0);
    expect(console.outside).toEqual([]);
    await console.close();
    await between.stop();
  });

  it('gives its files back', async () => {
    chatWorld.answer(() => say('Read.'));
    const conversationId = 'with-a-file';
    const { admin, base } = chatWorld.world;
    const { id } = await attach(admin, conversationId, 'the content', 'note.txt');
    await chat(admin, 'Read this', { conversationId, attachments: [id] });
    const console = await openChat(await open({}, base));
    await console.go(`/chat/${conversationId}`);
    const saved = console.page.waitForEvent('download');
    await button(console.page, 'Save').click(SOON);
    expect(await readFile(await (await saved).path(), 'utf8')).toBe('the content');
    expectQuiet(console);
  });
});
