import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { addTo, channelTo, DATA, FAILED, watch } from '../support/devices/notify.ts';
import {
  startWebhookReceiver,
  status,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HEALTH = '/api/v3/data/dashboard/system/health';
const HANDOVER = '/api/v3/agentic/handover/get';

const away = started(startWebhookReceiver);
const near = started(startWebhookReceiver);
const world = started(() =>
  startWorld({
    environment: { SVC_EGRESS_ALLOW: `webhook:${away.hostPort},webhook:${near.hostPort}` },
  }),
);
beforeEach(() => {
  away.answer(status(503));
  near.answer(status(204));
  near.received.length = 0;
});

const warnings = async (): Promise<string[]> => {
  const answer = await fetch(`${world.base}/readyz`);
  return z.object({ warnings: z.array(z.string()) }).parse(await answer.json()).warnings;
};

type Watched = Awaited<ReturnType<typeof watch>>;

/** Five tries of the message to the receiver that is away. */
async function fiveTries({ history, channelIds }: Watched): Promise<void> {
  const failing = async () => (await history()).find((row) => row.channelId === channelIds[0]);
  for (const [tries, wait] of [5, 10, 20, 40].entries()) {
    await eventually(failing, (row) => row?.retryCount === tries + 1);
    world.clock.shift(wait * SECOND);
  }
  await eventually(failing, (row) => row?.statusFlag === FAILED);
}

const typesAt = ({ received }: WebhookReceiver): string[] =>
  received.map(({ body }) => String(JSON.parse(body).type));

it('is in the handover, over REST and for agents, and in the warnings of /readyz, until its receiver takes the alarm', async () => {
  const session = await world.tenant('unnotified');
  const watched = await watch(world, { channels: [{ target: away.url }] }, session);
  await watched.measure(95);
  await fiveTries(watched);
  const { unnotified } = z
    .looseObject({ unnotified: z.array(z.looseObject({})) })
    .parse(await session.data(HANDOVER));
  expect(unnotified).toMatchObject([
    {
      channelId: watched.channelIds[0],
      alarms: 1,
      reason: 'HTTP 503',
      isFailing: true,
      nextTry: expect.any(String),
    },
  ]);
  const told = await toolNamed('getHandover').run(world.app, agentIn(session), {});
  expect(told).toMatchObject({
    unnotified: [
      expect.stringMatching(
        /^The channel “.+” does not know of a firing alarm since [\d-]+T[\d:]+Z: HTTP 503; the next try is at [\d-]+T[\d:]+Z\.$/,
      ),
    ],
    needsAttention: expect.arrayContaining([
      expect.objectContaining({ id: watched.channelIds[0] }),
    ]),
  });
  await sweepLedger(world.app);
  expect(await warnings()).toContain(
    'notifications: 1 channel does not know of firing alarms, because deliveries fail',
  );
  const other = await world.tenant('unnotified-other');
  expect(await other.data(HANDOVER)).toMatchObject({ unnotified: [] });
  away.answer(status(204));
  world.clock.shift(MINUTE);
  await eventually(
    () => session.data(HANDOVER),
    (answer) => JSON.stringify(answer).includes('"unnotified":[]'),
  );
  await sweepLedger(world.app);
  expect((await warnings()).filter((line) => line.startsWith('notifications'))).toEqual([]);
});

it('is in the health of the system, with the notifications that failed', async () => {
  const session = await world.tenant('unnotified-health');
  const healthy = { notifications: { failed: 0, unnotified: [] } };
  expect(await session.data(HEALTH)).toMatchObject(healthy);
  const watched = await watch(world, { channels: [{ target: away.url }] }, session);
  const [channelId] = watched.channelIds;
  await watched.measure(95);
  await fiveTries(watched);
  expect(await session.data(HEALTH)).toMatchObject({
    notifications: { failed: 1, unnotified: [{ channelId, alarms: 1, reason: 'HTTP 503' }] },
  });
  away.answer(status(204));
  world.clock.shift(MINUTE);
  await eventually(
    () => session.data(HEALTH),
    (answer) => JSON.stringify(answer).includes('"notifications":{"failed":0,"unnotified":[]}'),
  );
});

it('that its policy holds back is in the handover with the reason, and no warning', async () => {
  const session = await world.tenant('held-back');
  const hour = new Date(world.clock.now()).getUTCHours();
  const time = (at: number): string => `${String((at + 24) % 24).padStart(2, '0')}:00`;
  const silence = { windows: [{ start: time(hour - 1), end: time(hour + 2) }] };
  const quiet = { notify: { notifyExt: { content: { silence } } } };
  const watched = await watch(world, { channels: [{ target: near.url }], ...quiet }, session);
  await watched.measure(95);
  expect(await session.data(HANDOVER)).toMatchObject({ unnotified: [] });
  world.clock.shift(2 * MINUTE);
  expect(await session.data(HANDOVER)).toMatchObject({
    unnotified: [{ alarms: 1, reason: 'its policy is silent now', isFailing: false }],
  });
  await sweepLedger(world.app);
  expect((await warnings()).filter((line) => line.startsWith('notifications'))).toEqual([]);
});

it('is reported over the other channels of its policy and of policies for channels, once for several alarms', async () => {
  const session = await world.tenant('reported');
  const forChannels = await addTo(session, 'notify', {
    notifyName: 'for channels',
    notifyExt: { content: { alarmTypes: ['CHANNEL'] } },
  });
  const pager = await channelTo(session, { target: `${near.url}/pager` });
  await addTo(session, 'notify/channel/bind', { notifyId: forChannels, channelId: pager });
  const channels = [{ target: away.url }, { target: near.url }];
  const watched = await watch(world, { channels }, session);
  await watched.measure(95);
  await fiveTries(watched);
  const reports = () => near.received.filter(({ body }) => body.includes('channel.unnotified'));
  await eventually(
    async () => reports(),
    (all) => all.length === 2,
  );
  expect(
    reports()
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['/hook', '/hook/pager']);
  expect(JSON.parse(reports()[0]?.body ?? '{}')).toMatchObject({
    data: {
      alarmId: '0',
      level: 'P1',
      message: expect.stringMatching(
        /^The channel “.+” does not know of a firing alarm since .+: HTTP 503; /,
      ),
    },
  });
  const another = await sameChannels(session, watched);
  await another.measure(95);
  await fiveTries({ ...another, channelIds: watched.channelIds });
  await eventually(
    async () => typesAt(near),
    (types) => types.filter((type) => type === 'alarm.fired').length === 2,
  );
  expect(reports()).toHaveLength(2);
});

it('is reported of a message with several alarms too, once', async () => {
  const session = await world.tenant('reported-group');
  const channels = [{ target: away.url }, { target: near.url }];
  const notify = { notifyExt: { content: { grouping: { by: [], waitMs: 10 * SECOND } } } };
  const watched = await watch(world, { channels, notify }, session);
  const another = await sameChannels(session, watched);
  await watched.measure(95);
  await another.measure(95);
  world.clock.shift(11 * SECOND);
  await sweepLedger(world.app);
  await fiveTries(watched);
  await eventually(
    async () => typesAt(near),
    (types) => types.length === 2,
  );
  expect(typesAt(near)).toEqual(['alarm.fired', 'channel.unnotified']);
});

it('says of a receiver that failed what it answered, after the others were looked at', async () => {
  const session = await world.tenant('answered');
  const channels = [{ target: away.url }, { target: near.url }];
  const watched = await watch(world, { channels }, session);
  const { notifyId, channelIds } = watched;
  const escalation = [{ channels: [channelIds[1]], after: 'PT1H' }];
  await session.data(`${DATA}/notify/update`, {
    id: notifyId,
    notifyExt: { content: { escalation } },
  });
  await watched.measure(95);
  await fiveTries(watched);
  await sweepLedger(world.app);
  expect(await session.data(HANDOVER)).toMatchObject({ unnotified: [{ reason: 'HTTP 503' }] });
});

it('calls the next step for every alarm of a message that its receiver refused', async () => {
  const session = await world.tenant('step-of-group');
  const channels = [{ target: away.url }, { target: near.url }];
  const watched = await watch(world, { channels }, session);
  const { notifyId, channelIds } = watched;
  const escalation = [{ channels: [channelIds[1]], onFailure: true }];
  await session.data(`${DATA}/notify/update`, {
    id: notifyId,
    notifyExt: { content: { escalation, grouping: { by: [], waitMs: 10 * SECOND } } },
  });
  const another = await sameChannels(session, watched);
  away.answer(status(400));
  await watched.measure(95);
  await another.measure(95);
  world.clock.shift(11 * SECOND);
  await sweepLedger(world.app);
  await eventually(watched.history, (rows) => rows.some((row) => row.statusFlag === FAILED));
  await sweepLedger(world.app);
  world.clock.shift(11 * SECOND);
  await sweepLedger(world.app);
  await eventually(
    async () => near.received.flatMap(({ body }) => JSON.parse(body).data.group?.count ?? []),
    (counts) => JSON.stringify(counts) === '[2]',
  );
});

/** Another rule whose policy has the same channels. */
async function sameChannels(session: Session, { notifyId }: Watched): Promise<Watched> {
  return watch(world, { rule: { notifyId } }, session);
}
