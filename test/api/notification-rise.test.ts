import { beforeEach, describe, expect, it } from 'vitest';

import { alarmIdOf, messagesAt } from '../support/devices/messages.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { taken, gets, later, rulesOf, reset } = messagesAt(hook, world);
beforeEach(reset);

/** Two rules of a policy; the level of the first one rises above 120. */
async function rising(content: object) {
  const levels = [{ severity: 'P0', threshold: 120 }];
  const [first, second] = await rulesOf(content, ['P2', 'P2'], {}, { levels });
  if (!first || !second) throw new Error('no rules');
  return { first, second, idOfFirst: () => alarmIdOf(first) };
}

describe('a level that rises', () => {
  it.each([
    ['a group', { grouping: { by: [], waitMs: 10 * MINUTE } }],
    ['a digest', { digest: { everyMs: 24 * 60 * MINUTE, levels: ['P2'] } }],
  ])('while its alarm waits in %s is sent at once, with what waits', async (_what, content) => {
    const { first, second, idOfFirst } = await rising(content);
    await first.measure(95);
    await second.measure(95);
    await later(SECOND);
    expect(taken()).toEqual([]);
    await first.measure(130);
    await gets('alarm.fired 2');
    expect(taken()[0]?.data).toMatchObject({ level: 'P0', alarmId: await idOfFirst() });
  });

  it('in a flood is in its one message, first', async () => {
    const { first, second, idOfFirst } = await rising({ flood: { count: 1, perMs: 10 * MINUTE } });
    await second.measure(95);
    await gets('alarm.fired 1');
    await first.measure(95);
    await first.measure(130);
    await later(11 * MINUTE);
    await gets('alarm.fired 1', 'alarm.fired 1');
    expect(taken()[1]?.data).toMatchObject({ level: 'P0', alarmId: await idOfFirst() });
  });

  it('after its group was sent is sent again', async () => {
    const { first, second } = await rising({ grouping: { by: [], waitMs: 10 * SECOND } });
    await first.measure(95);
    await second.measure(95);
    await later(11 * SECOND);
    await gets('alarm.fired 2');
    await first.measure(130);
    await gets('alarm.fired 2', 'alarm.fired 1');
    expect(taken()[1]?.data.text).toContain('Now P0, was P2');
  });
});
