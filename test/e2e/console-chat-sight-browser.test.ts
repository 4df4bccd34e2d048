import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { ask, button, openChat } from '../support/console/open-chat.ts';
import { onboard } from '../support/devices/plant.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';

const chatWorld = started(startChatWorld);
const { open } = consoles(chatWorld);
const plant = prepared(() => onboard(chatWorld.world.admin));

it('brings the proposal of a long chat into the window', async () => {
  const { page } = await openChat(await open({}));
  const long = Array.from({ length: 80 }, (_, at) => `- line ${at}`).join('\n');
  chatWorld.answer(() => say(`Here it is:\n\n${long}`));
  for (const [at, question] of ['first', 'second'].entries()) {
    await ask(page, question);
    // A question that is entered before the answer has its last line is not sent.
    await page.getByText('values read 0').nth(at).waitFor({ timeout: 30_000 });
    await button(page, 'Send').waitFor({ timeout: 30_000 });
  }
  const { deviceId, target: pointId } = plant;
  chatWorld.answer((sent) =>
    inTurn(sent) === 0
      ? call(['writePointValue', { deviceId, pointId, value: '21', reason: 'The hall is cold' }])
      : say('I proposed it.'),
  );
  await ask(page, 'Warm the hall to 21 °C');
  const confirm = button(page, 'Confirm');
  await confirm.waitFor({ timeout: 30_000 });
  const height = Number(await page.evaluate('innerHeight'));
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  expect(whole).toBeGreaterThan(height + 300);
  await eventually(
    () => confirm.boundingBox(),
    (box) => box !== null && box.y >= 0 && box.y + box.height <= height,
  );
});
