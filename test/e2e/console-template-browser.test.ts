import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

it('a template keeps its words for a kind and an event, which its form does not show', async () => {
  const mine = await world.tenant('kinds-of-words');
  const ofSlack = { channelType: 'WEBHOOK', kind: 'slack', template: { title: 'chat' } };
  const atEnd = { channelType: 'EMAIL', event: 'RECOVERED', template: { title: 'over' } };
  const id = await addTo(mine, 'message', {
    messageName: 'Words',
    messageExt: {
      content: { templates: [ofSlack, atEnd, { channelType: 'EMAIL', template: { title: 'a' } }] },
    },
  });
  const console = await at('/notifications', {
    tenant: 'kinds-of-words',
    name: 'kinds-of-words-admin',
  });
  const { page } = console;
  await page.getByText('Slack, Mail', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit Words' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For').selectOption('Mail');
  expect(await dialog.getByLabel('Title').inputValue()).toBe('a');
  await dialog.getByLabel('Title').fill('b');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const stored = await mine.data(`${DATA}/message/get_by_id`, undefined, { id });
  expect(JSON.stringify(stored)).toMatch(/"title":"b".*"kind":"slack".*"event":"RECOVERED"/);
  expectQuiet(console);
});
