import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { DATA, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

const levels = [{ severity: 'P0', threshold: 110 }];
const content = { severity: 'P2', levels };
const Said = z.object({
  type: z.string(),
  data: z.object({ level: z.string(), message: z.string() }),
});
/** Types, levels and texts of what the receiver took, in order. */
const said = () => hook.received.map(({ body }) => Said.parse(JSON.parse(body)));
const kinds = () => said().map(({ type, data }) => `${type} ${data.level}`);

describe('an alarm with two levels', () => {
  it('rises and falls with its value: a rise is sent, once for each channel, a fall is not', async () => {
    const watched = await watch(world, { channels: [{ target: hook.url }], content });
    const alarm = async () =>
      AnyRecords.parse(
        await world.admin.data(`${DATA}/dashboard/alert/page`, { size: 200 }),
      ).records.find(({ pointId }) => pointId === watched.plant.temperature);
    await watched.measure(95);
    await watched.delivered();
    const first = await alarm();
    expect(first).toMatchObject({ alarmLevelFlag: 2, state: 'FIRING' });
    await watched.measure(112);
    await watched.delivered();
    expect(await alarm()).toMatchObject({
      id: first?.['id'],
      alarmLevelFlag: 0,
      message: expect.stringContaining('calValue = 112 (> 110'),
      condition: 'calValue > 110',
    });
    await watched.measure(96);
    expect(await alarm()).toMatchObject({ id: first?.['id'], alarmLevelFlag: 2 });
    // Its receiver knows of that level.
    await watched.measure(115);
    expect(await alarm()).toMatchObject({ alarmLevelFlag: 0 });
    await watched.measure(80);
    await watched.delivered();
    expect(kinds()).toEqual(['alarm.fired P2', 'alarm.fired P0', 'alarm.recovered P0']);
    expect(said()[1]?.data.message).toContain('112 (> 110');
    expect(await watched.history()).toHaveLength(3);
  });

  it('that begins at the higher one says so, and calls each channel that wants its level', async () => {
    const only = { target: hook.url, bindExt: { levels: ['P0'] } };
    const watched = await watch(world, { channels: [only], content });
    await watched.measure(95);
    expect(await watched.history()).toHaveLength(0);
    await watched.measure(111);
    await watched.delivered();
    expect(kinds()).toEqual(['alarm.fired P0']);
    const urgent = await watch(world, { channels: [{ target: hook.url }], content });
    await urgent.measure(120);
    await urgent.measure(121);
    await urgent.delivered();
    expect(kinds()).toEqual(['alarm.fired P0', 'alarm.fired P0']);
  });

  it('is sent when it rises after it was confirmed', async () => {
    const watched = await watch(world, { channels: [{ target: hook.url }], content });
    await watched.measure(95);
    await watched.delivered();
    const alarmId = (await watched.state())?.alarmId;
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, { source: 'point', id: alarmId });
    await watched.measure(112);
    await watched.delivered();
    expect(kinds()).toEqual(['alarm.fired P2', 'alarm.fired P0']);
  });

  it.each([
    [[{ severity: 'P2', threshold: 110 }], 'levels.0: P2 is not more urgent than P2'],
    [[{ severity: 'P1', threshold: 90 }], 'levels.0: its threshold must be farther'],
    [
      [
        { severity: 'P1', threshold: 110 },
        { severity: 'P0', threshold: 100 },
      ],
      'levels.1: its threshold must be farther',
    ],
    [[], 'levels: '],
  ])('is refused, 400, for levels that contradict: %j', async (given, why) => {
    const watched = await watch(world, {});
    const condition = { field: 'value', operator: '>', threshold: 90 };
    const ruleExt = { content: { condition, severity: 'P2', levels: given } };
    const change = { id: watched.ruleId, ruleExt };
    const { status: answered, body } = await world.admin.post(`${DATA}/rule/update`, change);
    expect(`${answered} ${body.message}`).toContain(`400 ruleExt.content.${why}`);
  });

  it('is refused, 400, where no limit is compared', async () => {
    const watched = await watch(world, {});
    const condition = { field: 'value', operator: 'outside', low: 1, high: 2 };
    const ruleExt = { content: { condition, levels } };
    const change = { id: watched.ruleId, ruleExt };
    const { body } = await world.admin.post(`${DATA}/rule/update`, change);
    expect(body.message).toContain('ruleExt.content.levels: levels are of a condition with >');
  });
});
