import { beforeEach, expect, it } from 'vitest';

import { DATA, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(202));
});

const firing = async (kind: string) => {
  const watched = await watch(world, {
    channels: [
      {
        target: `http://${hook.hostPort}`,
        credential: '0123456789abcdef0123456789abcdef',
        channelExt: { content: { kind } },
      },
    ],
  });
  await watched.measure(95);
  await watched.delivered();
  const { alarmId = '' } = (await watched.state()) ?? {};
  return { ...watched, alarmId };
};
type Firing = Awaited<ReturnType<typeof firing>>;

const confirm = ({ alarmId }: Firing) =>
  world.admin.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
const count = (wanted: number) =>
  eventually(
    async () => hook.received.length,
    (length) => length === wanted,
  );

it('a pager gets the confirmation of an alarm that it knows, and its end', async () => {
  const watched = await firing('pagerduty');
  await confirm(watched);
  await count(2);
  await watched.delivered();
  await watched.measure(20);
  await count(3);
  const bodies = hook.received.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ event_action }) => event_action)).toEqual([
    'trigger',
    'acknowledge',
    'resolve',
  ]);
  const keys = bodies.map(({ dedup_key }) => dedup_key);
  expect(new Set(keys)).toEqual(new Set([`alarm-${watched.alarmId}`]));
  const history = await watched.history();
  expect(history.map(({ eventFlag }) => eventFlag)).toEqual(['FIRED', 'CONFIRMED', 'RECOVERED']);
  const report = await world.admin.data(`${DATA}/dashboard/alert/report`, undefined, {
    alarmId: watched.alarmId,
  });
  expect(report).toMatchObject({
    receivers: expect.arrayContaining([expect.objectContaining({ event: 'CONFIRMED', ok: true })]),
  });
});

it('an alertmanager, which knows no confirmations, gets none', async () => {
  const watched = await firing('alertmanager');
  await confirm(watched);
  await watched.measure(20);
  await count(2);
  expect(await watched.history()).toHaveLength(2);
});
