import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const Answer = z.looseObject({
  level: z.string(),
  messages: z.array(
    z.looseObject({
      at: z.string(),
      taken: z.string().nullable(),
      channelId: z.string(),
      kind: z.string(),
      note: z.string(),
      waited: z.string(),
    }),
  ),
  channels: z.array(
    z.looseObject({
      channelId: z.string(),
      knows: z.boolean(),
      waits: z.string(),
      deliveries: z.number(),
      success: z.number().nullable(),
    }),
  ),
});

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => hook.answer(status(204)));

const SUNDAY = '2026-12-06T03:00:00.000Z';
const drilled = async (body: object) =>
  Answer.parse(await world.admin.data(`${DATA}/rule/drill`, { at: SUNDAY, ...body }));

/** Three channels: one at once, a second one after ten minutes or when that fails, one in working hours. */
async function nightShift() {
  const workdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
  const onCall = { windows: [{ start: '06:00', end: '14:00', daysOfWeek: workdays }] };
  const target = hook.url;
  const watched = await watch(world, {
    channels: [{ target }, { target }, { target, bindExt: { onCall } }],
  });
  const [first = '', second = '', day = ''] = watched.channelIds;
  const escalation = [{ channels: [second], after: 'PT10M', onFailure: true }];
  const notifyExt = { content: { escalation } };
  await world.admin.data(`${DATA}/notify/update`, { id: watched.notifyId, notifyExt });
  return { ...watched, first, second, day };
}

describe('a drill', () => {
  it('says which channels get the alarm of a rule, when, and which next', async () => {
    const { ruleId, first, second, day, measure, history } = await nightShift();
    const { level, messages, channels } = await drilled({ ruleId });
    expect(level).toBe('P1');
    expect(messages).toMatchObject([
      { at: SUNDAY, taken: SUNDAY, channelId: first, kind: 'FIRED', note: '' },
      {
        at: '2026-12-06T03:10:00.000Z',
        channelId: second,
        note: 'Escalation step 1: not confirmed for 10 min',
      },
    ]);
    expect(channels).toMatchObject([
      { channelId: first, knows: true, waits: '', deliveries: 0, success: null },
      { channelId: second, knows: true },
      { channelId: day, knows: false, waits: 'it is not on call' },
    ]);
    expect(await history()).toEqual([]);
    await measure(95);
    await eventually(history, (rows) =>
      rows.some(({ channelId, statusFlag }) => channelId === first && statusFlag === SUCCESS),
    );
    expect((await drilled({ ruleId })).channels[0]).toMatchObject({ deliveries: 1, success: 1 });
  });

  it('goes on to the next ones where receivers are away', async () => {
    const { ruleId, first, second } = await nightShift();
    const { messages } = await drilled({ ruleId, failing: [first] });
    expect(messages).toMatchObject([
      { channelId: first, taken: null },
      { at: '2026-12-06T03:01:15.000Z', channelId: second },
    ]);
  });

  it('says of a message that it waits for its group, the digest or the end of a flood', async () => {
    const content = {
      grouping: { waitMs: 300_000 },
      repeat: { enabled: true, intervalMs: 3_600_000, maxTimes: 1 },
    };
    const watched = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content } },
    });
    const { ruleId, notifyId } = watched;
    const sentBy = async (given: object) => {
      await world.admin.data(`${DATA}/notify/update`, {
        id: notifyId,
        notifyExt: { content: { ...content, ...given } },
      });
      return (await drilled({ ruleId })).messages;
    };
    expect(await sentBy({})).toMatchObject([
      { at: '2026-12-06T03:05:00.000Z', waited: 'GROUPING', kind: 'FIRED' },
      { at: '2026-12-06T04:10:00.000Z', waited: 'GROUPING', kind: 'REMINDER' },
    ]);
    const digest = { at: ['07:00'], timezone: 'UTC', levels: ['P1'] };
    expect(await sentBy({ digest })).toMatchObject([
      { at: '2026-12-06T07:00:00.000Z', waited: 'DIGEST', kind: 'FIRED' },
    ]);
    const flood = { count: 1, perMs: 7_200_000 };
    expect(await sentBy({ grouping: undefined, flood })).toMatchObject([
      { at: SUNDAY, waited: '', kind: 'FIRED' },
      { at: '2026-12-06T05:00:00.000Z', waited: 'FLOOD', kind: 'REMINDER' },
    ]);
  });

  it('is of a device that is away, by the policies for outages, and an agent can ask for it', async () => {
    const { channelIds, plant } = await watch(world, { channels: [{ target: hook.url }] });
    const content = { alarmTypes: ['OFFLINE'] };
    const notifyId = await addTo(world.admin, 'notify', {
      notifyName: fresh('outages'),
      notifyExt: { content },
    });
    await addTo(world.admin, 'notify/channel/bind', { notifyId, channelId: channelIds[0] });
    const { deviceId } = plant;
    const answer = await drilled({ deviceId });
    expect(answer.messages).toMatchObject([{ at: SUNDAY, channelId: channelIds[0] }]);
    const given = await toolNamed('drillNotification').run(world.app, agentIn(world.admin), {
      deviceId,
      at: SUNDAY,
    });
    expect(given).toMatchObject({ level: 'P1', channels: [{ channelId: channelIds[0] }] });
  });

  it('looks at the maintenances that run or are planned then, of the place alone', async () => {
    const { ruleId, first, plant } = await nightShift();
    const maintain = (given: object) =>
      addTo(world.admin, 'maintenance', {
        maintenanceName: fresh('belt change'),
        scopeFlag: 'DEVICE',
        entityIds: [plant.deviceId],
        beginTime: '2026-12-06T02:00:00Z',
        endTime: '2026-12-06T05:00:00Z',
        ...given,
      });
    const elsewhere = await watch(world, {});
    await maintain({ entityIds: [elsewhere.plant.deviceId] });
    await maintain({ modeFlag: 'MARK' });
    await maintain({ beginTime: '2026-12-05T02:00:00Z', endTime: SUNDAY });
    expect((await drilled({ ruleId })).messages[0]).toMatchObject({ at: SUNDAY });
    const id = await maintain({});
    expect((await drilled({ ruleId })).messages).toMatchObject([
      { at: '2026-12-06T05:00:00.000Z', channelId: first },
      { at: '2026-12-06T05:10:00.000Z' },
    ]);
    const { messages, channels } = await drilled({ ruleId, hours: 1 });
    expect(messages).toEqual([]);
    expect(channels[0]).toMatchObject({
      knows: false,
      waits: expect.stringMatching(/^its place is in maintenance until /),
      heldBack: 'MAINTENANCE',
    });
    await world.admin.post(`${DATA}/maintenance/delete?id=${id}`, {});
    const notifyId = await addTo(world.admin, 'notify', {
      notifyName: fresh('outages'),
      notifyExt: { content: { alarmTypes: ['OFFLINE'] } },
    });
    await addTo(world.admin, 'notify/channel/bind', { notifyId, channelId: first });
    const { deviceId } = plant;
    const sent = async () =>
      (await drilled({ deviceId })).messages.filter(({ channelId }) => channelId === first);
    expect(await sent()).toMatchObject([{ at: SUNDAY }]);
    await maintain({ scopeFlag: 'PLANT', entityIds: [], endTime: '2026-12-06T04:00:00Z' });
    expect(await sent()).toMatchObject([{ at: '2026-12-06T04:00:00.000Z' }]);
  });

  it('wants a rule or a device, of its tenant', async () => {
    const post = (body: object) => world.admin.post(`${DATA}/rule/drill`, { at: SUNDAY, ...body });
    expect((await post({})).status).toBe(400);
    expect((await post({ ruleId: '1', deviceId: '1' })).status).toBe(400);
    expect((await post({ ruleId: '999999999' })).status).toBe(404);
  });
});
