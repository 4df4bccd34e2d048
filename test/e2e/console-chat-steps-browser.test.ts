import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { ask, log, openChat } from '../support/console/open-chat.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { started } from '../support/world/prepared.ts';

const chatWorld = started(startChatWorld);
const { open } = consoles(chatWorld);

it('cuts what a tool said at the width of the thread', async () => {
  chatWorld.answer((sent) =>
    inTurn(sent) === 0 ? call(['searchAlarms', {}]) : say('There are no alarms.'),
  );
  const console = await openChat(await open({ width: 1_000, height: 740 }));
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
});
