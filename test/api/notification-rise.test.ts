import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

const Data = z.looseObject({
  alarmId: z.string(),
  level: z.string(),
  text: z.string(),
  group: z.object({ count: z.number() }).optional(),
});
const taken = () => hook.received.map(({ body }) => Data.parse(JSON.parse(body).data));
/** The receiver got messages about so many alarms each. */
const gets = (...counts: number[]) =>
  eventually(
    async () => taken().map(({ group }) => group?.count ?? 1),
    (all) => JSON.stringify(all) === JSON.stringify(counts),
  );
const later = async (ms: number): Promise<void> => {
  world.clock.shift(ms);
  await sweepLedger(world.app);
};

/** Two rules of a policy; the level of the first one rises above 120. */
async function rising(content: object) {
  const severity = 'P2';
  const first = await watch(world, {
    channels: [{ target: hook.url }],
    notify: { notifyExt: { content } },
    content: { severity, levels: [{ severity: 'P0', threshold: 120 }] },
  });
  const rule = { notifyId: first.notifyId };
  const second = await watch(world, { rule, content: { severity } });
  const idOfFirst = async () => (await first.state())?.alarmId ?? '';
  return { first, second, idOfFirst };
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
    await gets(2);
    expect(taken()[0]).toMatchObject({ level: 'P0', alarmId: await idOfFirst() });
  });

  it('in a flood is in its one message, first', async () => {
    const { first, second, idOfFirst } = await rising({ flood: { count: 1, perMs: 10 * MINUTE } });
    await second.measure(95);
    await gets(1);
    await first.measure(95);
    await first.measure(130);
    await later(11 * MINUTE);
    await gets(1, 1);
    expect(taken()[1]).toMatchObject({ level: 'P0', alarmId: await idOfFirst() });
  });

  it('after its group was sent is sent again', async () => {
    const { first, second } = await rising({ grouping: { by: [], waitMs: 10 * SECOND } });
    await first.measure(95);
    await second.measure(95);
    await later(11 * SECOND);
    await gets(2);
    await first.measure(130);
    await gets(2, 1);
    expect(taken()[1]?.text).toContain('Now P0, was P2');
  });
});
