import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { ask, expectQuiet, log, openChat } from '../support/console/open-chat.ts';
import { startBrowser } from '../support/console/open-console.ts';
import { call, say } from '../support/neighbours/model.ts';
import { type ChatWorld, inTurn, startChatWorld } from '../support/people/chat-world.ts';

let chatWorld: ChatWorld;
let browser: Browser;
beforeAll(async () => {
  chatWorld = await startChatWorld();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await chatWorld?.stop();
});

it('cuts what a tool said at the width of the thread', async () => {
  chatWorld.answer((sent) =>
    inTurn(sent) === 0 ? call(['searchAlarms', {}]) : say('There are no alarms.'),
  );
  const console = await openChat(browser, chatWorld.world.base, { width: 1_000, height: 740 });
  const { page } = console;
  await ask(page, 'Are there any alarms?');
  const step = page.locator('.steps summary', { hasText: 'Search alarms' });
  await step.locator('.chip.good', { hasText: 'done' }).waitFor({ timeout: 30_000 });
  await log(page).getByText('There are no alarms.').waitFor();
  const result = step.locator('.result');
  // Once its letters are there, which a busy browser lays out later.
  await expect
    .poll(() => result.evaluate((text) => text.scrollWidth > text.clientWidth))
    .toBe(true);
  const edge = async (what: typeof result) => {
    const { x, width } = (await what.boundingBox()) ?? { x: 0, width: 0 };
    return x + width;
  };
  expect(await edge(result)).toBeLessThanOrEqual(await edge(log(page)));
  expectQuiet(console);
  await console.close();
});
