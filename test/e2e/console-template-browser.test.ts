import { expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addTo, DATA, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { at } = consoles(world);

it('a template has words for a kind and an event, shown as they are then sent; the others stay', async () => {
  const mine = await world.tenant('kinds-of-words');
  const ofSlack = { channelType: 'WEBHOOK', kind: 'slack', template: { title: 'chat' } };
  const atEnd = { channelType: 'EMAIL', event: 'RECOVERED', template: { title: 'over' } };
  const id = await addTo(mine, 'message', {
    messageName: 'Words',
    messageExt: {
      content: { templates: [ofSlack, atEnd, { channelType: 'EMAIL', template: { title: 'a' } }] },
    },
  });
  const console = await at('/notifications', 'kinds-of-words');
  const { page } = console;
  await page.getByText('Slack, Mail', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit Words' }).click();
  const dialog = page.getByRole('dialog');
  const title = dialog.getByLabel('Title');
  const preview = dialog.getByRole('region', { name: 'With an example alarm' });
  expect(await title.inputValue()).toBe('chat');
  await preview.getByText('chat', { exact: true }).first().waitFor();
  await dialog.getByText('There are words for: Slack, Mail (That it is over), Mail.').waitFor();

  await dialog.getByLabel('Message').selectOption('That it fires');
  expect(await title.inputValue()).toBe('');
  await title.fill('Hot: {{deviceName}}');
  await preview.getByText('Hot: Boiler 2').first().waitFor();
  await dialog.getByLabel('Message').selectOption('Reminder');
  await preview.getByText('chat', { exact: true }).first().waitFor();
  await dialog.getByLabel('For').selectOption('ntfy');
  await preview.getByText('[P1] still firing: "Boiler too hot"').waitFor();
  expect(await barriers(console)).toEqual([]);
  await dialog.getByLabel('For').selectOption('Mail');
  await dialog.getByLabel('Message').selectOption('Any');
  expect(await title.inputValue()).toBe('a');
  await title.fill('b');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  expect(await mine.data(`${DATA}/message/get_by_id`, undefined, { id })).toMatchObject({
    messageExt: {
      content: {
        templates: [
          ofSlack,
          atEnd,
          { template: { title: 'b' } },
          { kind: 'slack', event: 'FIRED', template: { title: 'Hot: {{deviceName}}' } },
        ].map(({ template, ...of }) => ({
          template,
          ...('kind' in of && { kind: of.kind }),
          ...('event' in of && { event: of.event }),
        })),
      },
    },
  });
  const url = `http://${hook.hostPort}`;
  const slack = {
    target: url,
    credential: `${url}/services/T00000000/B00000000/XXXXXXXXXXXX`,
    channelExt: { content: { kind: 'slack' } },
  };
  const { measure } = await watch(world, { messageId: id, channels: [slack], notify: {} }, mine);
  await measure(95);
  await until(() => expect(hook.received.map(({ body }) => body).join()).toMatch(/Hot: \S/));
  expectQuiet(console);
});

it('a policy takes a template for its alarms without a rule', async () => {
  const mine = await world.tenant('policy-words');
  const messageId = await addTo(mine, 'message', {
    messageName: 'Outages',
    messageExt: { content: { templates: [{ channelType: 'EMAIL', template: { title: 'a' } }] } },
  });
  const id = await addTo(mine, 'notify', { notifyName: 'Night' });
  const console = await at('/notifications', 'policy-words', { width: 360, language: 'zh' });
  const { page } = console;
  const dialog = page.getByRole('dialog');
  const chosen = dialog.getByLabel('这些消息的模板');
  const choose = async (name: string): Promise<unknown> => {
    await page.getByRole('button', { name: '编辑 Night' }).click();
    await chosen.selectOption(name);
    expect(await overflow(page)).toBe(0);
    await dialog.getByRole('button', { name: '保存' }).click();
    await dialog.waitFor({ state: 'detached' });
    return mine.data(`${DATA}/notify/get_by_id`, undefined, { id });
  };
  expect(await choose('Outages')).toMatchObject({ messageId });
  expect(await choose('默认文本')).toMatchObject({ messageId: '0' });
  await page.getByRole('button', { name: '编辑 Outages' }).click();
  await dialog.getByText('已有文字：邮件。').waitFor();
  expect(await overflow(page)).toBe(0);
  expectQuiet(console);
});
