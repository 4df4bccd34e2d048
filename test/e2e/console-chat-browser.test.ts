import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { ask, button, log, openChat } from '../support/console/open-chat.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { call, frame, refuse, type Reply, say, stream } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';

const DONE = 'data: [DONE]\n\n';
const SOON = { timeout: 30_000 };
const Rows = z.array(z.object({ numValue: z.number() }));
const HOSTILE =
  '<img src=x onerror=alert(1)> <script>alert(2)</script> [a](javascript:alert) ![b](https://evil.example/b.png) [c](https://evil.example/c)';

const chatWorld = started(startChatWorld);
const world = prepared(() => chatWorld.world);
const { open } = consoles(chatWorld);
const plant = prepared(() => onboard(world.admin));
beforeAll(async () => {
  const { deviceId, target: pointId } = plant;
  await world.admin.data('/api/v3/data/point_command/read', { deviceId, pointId });
  await eventually(
    () => world.admin.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
    (answer) => JSON.stringify(answer).includes('"hasLatestValue":true'),
  );
});

beforeEach(() => chatWorld.answer(() => say('All is well.')));

const opened = async (shown = {}) => openChat(await open(shown));

/** Looks for the device, proposes `value`, and then does as `last` says. */
const proposing = (value: string, last: Reply): void =>
  chatWorld.answer((sent) => {
    if (inTurn(sent) === 0) return call(['searchDevices', {}]);
    const { deviceId, target: pointId } = plant;
    if (inTurn(sent) > 2) return last;
    return call(['writePointValue', { deviceId, pointId, value, reason: 'The hall is cold' }]);
  });

/** Says `text` and then nothing more, until the client leaves. */
const hang =
  (text: string): Reply =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta = { role: 'assistant', content: text };
    res.write(frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: null }] }));
  };

describe('a turn', () => {
  it('streams in with its steps, and its proposal is confirmed in place by the keyboard alone, to its receipt', async () => {
    const over = Promise.withResolvers<void>();
    proposing('21', async (res) => {
      await over.promise;
      await say('I **proposed** 21 °C.')(res);
    });
    const console = await opened();
    const { page } = console;
    const isAt = (selector: string) =>
      page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`);
    const tabTo = async (selector: string): Promise<void> => {
      for (let presses = 0; presses < 60 && !(await isAt(selector)); presses += 1)
        await page.keyboard.press('Tab');
      expect(await isAt(selector)).toBe(true);
    };
    expect(await barriers(console)).toEqual([]);
    await tabTo('textarea');
    await page.keyboard.type('Warm the hall');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('to 21 °C');
    await page.keyboard.press('Enter');
    const search = page.locator('.steps li', { hasText: 'Search devices' });
    await search.locator('.chip.good', { hasText: 'done' }).waitFor(SOON);
    await search.getByText('1 found').waitFor();
    await log(page).getByText('Answering').waitFor();
    expect(await log(page).getAttribute('aria-busy')).toBe('true');
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/chat\/[0-9a-f]{32}$/);
    expect(await isAt('textarea')).toBe(true);
    over.resolve();
    const card = page.getByRole('region', { name: 'Proposal' });
    await button(page, 'Confirm').waitFor(SOON);
    await page.getByRole('heading', { name: /Warm the hall to 21 °C/, level: 1 }).waitFor(SOON);
    await page.locator('strong', { hasText: 'proposed' }).waitFor();
    expect(await log(page).getAttribute('aria-busy')).toBe('false');
    expect(await page.getByText('Waiting for confirmation').count()).toBe(0);
    expect(await page.locator('.typed').first().innerText()).toBe('Warm the hall\nto 21 °C');
    await card.getByText('The hall is cold').waitFor();
    await card.getByText('5 to 30 °C').waitFor();
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.keyboard.press('Shift+Tab');
    for (let presses = 0; presses < 60 && !(await isAt('.in-place .primary')); presses += 1)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await card.getByText('became 21 °C').waitFor(SOON);
    expect(await card.locator('.progress > .past').count()).toBe(5);
    expect(await button(page, 'Confirm').count()).toBe(0);
    expectQuiet(console);
    await page.reload();
    await card.getByText('became 21 °C').waitFor(SOON);
    await card.getByText('The hall is cold').waitFor();
    expectQuiet(console);
  });

  it('opens a step with what the tool was asked and said, and rejects in place', async () => {
    proposing('22', say('Done as you said.'));
    const console = await opened({ width: 360, height: 740, look: 'dark' });
    const { page } = console;
    await ask(page, 'Set it to 22');
    await button(page, 'Reject').waitFor(SOON);
    await page.locator('summary', { hasText: 'Propose a write' }).click();
    await page.getByText('"value":"22"').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await button(page, 'Reject').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Warm enough');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.locator('.in-place .chip', { hasText: 'rejected' }).first().waitFor(SOON);
    expectQuiet(console);
  });

  it('draws the values that a tool looked at in place', async () => {
    const { deviceId, temperature: pointId } = plant;
    const history = '/api/v3/data/point_value/list_history_by_device_id_and_point_id';
    for (const count of [1, 2, 3]) {
      await world.admin.data('/api/v3/data/point_command/read', { deviceId, pointId });
      await eventually(
        async () =>
          Rows.parse(await world.admin.data(history, undefined, { deviceId, pointId })).length,
        (stored) => stored >= count,
      );
    }
    chatWorld.answer((sent) =>
      inTurn(sent) === 0
        ? call(['getPointValueHistory', { deviceId, pointId, hours: 1 }])
        : say('It is steady.'),
    );
    const console = await opened();
    const { page } = console;
    await ask(page, 'How was it?');
    const plot = log(page).locator('.plot', { hasText: 'temperature' });
    await plot.getByText(/^\d+ values/).waitFor(SOON);
    expect(await plot.locator('path.line').getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+L/);
    await log(page).getByText('It is steady.').waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await plot.getByText(/^\d+ values/).waitFor(SOON);
    expectQuiet(console);
  });

  it('goes on while another page is looked at', async () => {
    const over = Promise.withResolvers<void>();
    chatWorld.answer(() => async (res) => {
      await over.promise;
      await say('Meanwhile it came.')(res);
    });
    const console = await opened();
    const { page } = console;
    await ask(page, 'Take your time');
    await log(page).getByText('Answering').waitFor(SOON);
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    over.resolve();
    await page.goBack();
    await log(page).getByText('Meanwhile it came.').waitFor(SOON);
    expectQuiet(console);
  });

  it('shows every text of the model and of the person as a text', async () => {
    chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call([`<b>${'x'.repeat(60)}</b>`, { a: HOSTILE }]) : say(HOSTILE),
    );
    const console = await opened();
    const { page } = console;
    await ask(page, HOSTILE);
    await log(page).locator('.prose', { hasText: 'alert(2)' }).waitFor(SOON);
    await page.locator('summary').click();
    await eventually(
      () => log(page).getAttribute('aria-busy'),
      (isBusy) => isBusy === 'false',
    );
    expect(await log(page).locator('img, script, b, a').count()).toBe(0);
    await log(page).getByText('c (https://evil.example/c)').waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});

it('draws the tables and quotes of an answer', async () => {
  const text = '| Device | °C |\n|---|---|\n| dev-1 | 21 |\n\n> As it was at noon.';
  chatWorld.answer(() => stream(frame({ choices: [{ delta: { content: text } }] }), DONE));
  const console = await opened();
  const { page } = console;
  await ask(page, 'all of them');
  await log(page).getByRole('columnheader', { name: '°C' }).waitFor(SOON);
  expect(await log(page).getByRole('cell').allInnerTexts()).toEqual(['dev-1', '21']);
  expect(await log(page).locator('blockquote').first().innerText()).toBe('As it was at noon.');
  expect(await barriers(console)).toEqual([]);
  expectQuiet(console);
});

describe('a turn that ends before its end', () => {
  it('is stopped, says which proposal it left, and the proposal can be decided', async () => {
    proposing('23', hang('I am still writing about'));
    const console = await opened();
    const { page } = console;
    const left = chatWorld.model.left();
    await ask(page, 'Set it to 23');
    await log(page).getByText('I am still writing about').waitFor(SOON);
    const other = await open();
    await other.go(new URL(page.url()).pathname.replace('/console', ''));
    await logIn(other);
    await other.page.getByText('An answer may still be under way.').waitFor(SOON);
    expect(await button(other.page, 'Send again').count()).toBe(0);
    await button(page, 'Stop').click();
    await page.getByText('You stopped this answer.').waitFor(SOON);
    await page.getByText('1 proposal was made and counts').waitFor(SOON);
    await page.getByText('The text so far is kept.').waitFor();
    await button(page, 'Confirm').waitFor(SOON);
    await eventually(
      async () => chatWorld.model.left(),
      (count) => count === left + 1,
    );
    expect(await button(page, 'Stop').count()).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await other.page.getByText('This answer broke off.').waitFor(SOON);
    expectQuiet(other);
    await other.close();
    await page.reload();
    await page.getByText('This answer broke off.').waitFor(SOON);
    await button(page, 'Confirm').click();
    await page.getByText('became 23 °C').first().waitFor(SOON);
    expectQuiet(console);
  });

  it('says why the model failed and what was kept, and is sent again', async () => {
    chatWorld.answer((sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : refuse(500)));
    const console = await opened();
    const { page } = console;
    await ask(page, 'What is there?');
    await page.getByText('This answer failed:').waitFor(SOON);
    await page.getByText('It has no text. 1 step was run. Nothing was proposed.').waitFor(SOON);
    await page.reload();
    await page.getByText('This answer failed:').waitFor(SOON);
    await page.getByText('The model provider failed').waitFor(SOON);
    chatWorld.answer(() => say('One thermostat.'));
    await button(page, 'Send again').click();
    await log(page).getByText('One thermostat.').waitFor(SOON);
    expect(await page.locator('.typed', { hasText: 'What is there?' }).count()).toBe(2);
    expect(await button(page, 'Send again').count()).toBe(0);
    expectQuiet(console);
  });

  it('says that the connection was lost, and that what was kept is not known', async () => {
    const other = await startChatWorld();
    try {
      other.answer(() => hang('It begins and'));
      const console = await openChat(await open({}, other.world.base));
      const { page } = console;
      await ask(page, 'Tell me all');
      await log(page).getByText('It begins and').waitFor(SOON);
      await other.world.halt();
      await page.getByText('The connection was lost while it answered.').waitFor(SOON);
      await page.getByText('What was kept of it could not be read yet.').waitFor(SOON);
      await log(page).getByText('It begins and').waitFor();
      await button(page, 'Look again').waitFor();
      await button(page, 'Send again').waitFor();
      expect(console.outside).toEqual([]);
      await console.close();
    } finally {
      await other.stop();
    }
  });

  it('says what the platform did not take, in its words', async () => {
    const console = await opened();
    const { page } = console;
    await ask(page, 'x'.repeat(1_000_001));
    await page.getByText('Your message was not taken:').waitFor(SOON);
    await page.getByText(/messages\.0\.content/).waitFor();
    await button(page, 'Send again').waitFor();
    expectQuiet(console, '400');
  });
});
