import { beforeEach, describe, expect, it } from 'vitest';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import type { Plant } from '../support/devices/plant.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const HOUR = 3_600_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
});
/** What the receiver took of a rule. */
const taken = ({ ruleId }: { ruleId: string }): string[] =>
  hook.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.ruleId === ruleId)
    .map(({ type }) => String(type));

describe('a channel', () => {
  it('gets the end of an alarm that only a person ends with the confirmation, and the next alarm', async () => {
    const condition = { field: 'calValue', operator: '>', threshold: 90 };
    const watched = await watch(world, {
      channels: [{ target: hook.url }],
      content: { condition, recovery: { enabled: false } },
    });
    await watched.measure(95);
    await watched.until(SUCCESS);
    await watched.measure(20);
    await sweepLedger(world.app);
    expect(taken(watched)).toEqual(['alarm.fired']);
    const { alarmId = '' } = (await watched.state()) ?? {};
    await world.admin.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
    await sweepLedger(world.app);
    await watched.until(SUCCESS, SUCCESS);
    await watched.measure(96);
    await watched.until(SUCCESS, SUCCESS, SUCCESS);
    expect(taken(watched)).toEqual(['alarm.fired', 'alarm.recovered', 'alarm.fired']);
  });

  it.each<[string, (plant: Plant) => string]>([
    ['device', ({ deviceId }) => deviceId],
    ['point', ({ temperature }) => temperature],
    ['driver', ({ driverId }) => driverId],
  ])('gets the end of an alarm whose %s is disabled, with the reason', async (noun, idOf) => {
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    await watched.until(SUCCESS);
    const id = idOf(watched.plant);
    const switched = (enableFlag: string) =>
      world.admin.data(`/api/v3/manager/${noun}/update`, { id, enableFlag });
    await switched('DISABLE');
    await scanOutages(world.app);
    await sweepLedger(world.app);
    const [, ended] = await watched.until(SUCCESS, SUCCESS);
    await switched('ENABLE');
    expect(ended?.requestExt.text).toMatch(
      /^Over after .+, because its device, point, profile or driver was disabled: /,
    );
    expect(taken(watched)).toEqual(['alarm.fired', 'alarm.recovered']);
  });

  it('gets what began in its own quiet hours, and goes on, at their end', async () => {
    const hour = new Date(world.clock.now()).getUTCHours();
    const time = (at: number): string => `${String((at + 24) % 24).padStart(2, '0')}:00`;
    const windows = [{ start: time(hour - 1), end: time(hour + 2) }];
    const watched = await watch(world, {
      channels: [{ target: hook.url, bindExt: { quiet: { windows, through: ['P0'] } } }],
    });
    await watched.measure(95);
    await sweepLedger(world.app);
    expect(await watched.history()).toEqual([]);
    world.clock.shift(3 * HOUR);
    await sweepLedger(world.app);
    await watched.until(SUCCESS);
    expect(taken(watched)).toEqual(['alarm.fired']);
  });
});
