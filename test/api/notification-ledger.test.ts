import { beforeEach, describe, expect, it } from 'vitest';

import { claim } from '../../src/alarm/deliver/deliver.ts';
import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { inTenant } from '../../src/db/tenant.ts';
import {
  addTo,
  channelTo,
  DATA,
  FAILED,
  RETRY,
  SUCCESS,
  watch,
} from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import {
  type Answering,
  close,
  hang,
  type Received,
  startWebhookReceiver,
  status,
} from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

const typeOf = ({ body }: Received): string => String(JSON.parse(body).type);
/** The types of what the receiver took, in order. */
const taken = (): string[] => accepted.map(typeOf);
let accepted: Received[] = [];

/** The receiver answers 503 to the first `count` requests; what it takes is in `accepted`. */
function awayFor(count: number): void {
  accepted = [];
  hook.answer((response, received, number) => {
    if (number <= count) return status(503)(response, received, number);
    accepted.push(received);
    return status(204)(response, received, number);
  });
}
const received = (...types: string[]): Promise<unknown> =>
  eventually(
    async () => taken(),
    (all) => JSON.stringify(all) === JSON.stringify(types),
  );

/** An alarm that its channel knows, and is reminded of. */
async function remindedEveryMinute() {
  const repeat = { enabled: true, intervalMs: MINUTE, maxTimes: 9 };
  const watched = await watch(world, {
    channels: [{ target: hook.url }],
    notify: { notifyExt: { content: { repeat } } },
  });
  await watched.measure(95);
  await watched.until(SUCCESS);
  return watched;
}

const windowNow = () => {
  const hour = new Date(world.clock.now()).getUTCHours();
  const time = (at: number) => `${String((at + 24) % 24).padStart(2, '0')}:00`;
  return { silence: { windows: [{ start: time(hour - 1), end: time(hour + 2) }] } };
};

describe('a channel', () => {
  it('whose receiver is away for longer than five tries gets the alarm that goes on, and its end', async () => {
    awayFor(6);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    for (const [tries, wait] of [
      [1, 5],
      [2, 10],
      [3, 20],
      [4, 40],
    ] as const) {
      await eventually(watched.history, ([row]) => row?.retryCount === tries);
      world.clock.shift(wait * SECOND);
    }
    await watched.until(FAILED);
    expect(taken()).toEqual([]);
    world.clock.shift(MINUTE);
    await eventually(
      async () => hook.received.length,
      (count) => count === 6,
    );
    await watched.until(FAILED);
    world.clock.shift(2 * MINUTE);
    await received('alarm.fired');
    const ids = new Set(hook.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(1);
    await watched.until(SUCCESS);
    await watched.measure(20);
    await received('alarm.fired', 'alarm.recovered');
  });

  it('gets nothing of an alarm that is over before its receiver is back', async () => {
    awayFor(1);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    await watched.until(RETRY);
    await watched.measure(20);
    world.clock.shift(10 * SECOND);
    const [row] = await watched.until(FAILED);
    expect(row?.errorMessage).toBe('the alarm was over before it was delivered');
    await watched.measure(96);
    await received('alarm.fired');
  });

  it.each<[string, Answering]>([
    ['does not answer in time', hang],
    ['breaks off', close],
    ['answers through a gateway that waited in vain', status(504)],
  ])(
    'gets the end of an alarm of which its receiver took the message but %s',
    async (_name, fails) => {
      const watched = await watch(world, { channels: [{ target: hook.url }] });
      accepted = [];
      hook.answer((response, one, number) => {
        accepted.push(one);
        return (number === 1 ? fails : status(204))(response, one, number);
      });
      await watched.measure(95);
      await received('alarm.fired');
      if (fails === hang) world.clock.shift(15 * SECOND);
      await watched.until(RETRY);
      await watched.measure(20);
      await received('alarm.fired', 'alarm.recovered');
      await watched.until(FAILED, SUCCESS);
    },
  );

  it('gets the end of an alarm whose dispatcher died while it had the message', async () => {
    awayFor(1);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    const [row] = await watched.until(RETRY);
    const { tenantId } = world.admin;
    const task = { tenantId, channelId: row?.channelId ?? '', id: row?.id ?? '' };
    const late = world.clock.now() + MINUTE;
    await inTenant(world.app.db, tenantId, (q) => claim(q, task, late));
    awayFor(Number.POSITIVE_INFINITY);
    world.clock.shift(2 * MINUTE);
    await eventually(watched.history, ([one]) => one?.statusFlag === RETRY && one.retryCount === 3);
    awayFor(0);
    await watched.measure(20);
    await received('alarm.recovered');
  });

  it('gets what began in a quiet window, and goes on, at its end; and the end of what ended there', async () => {
    awayFor(0);
    const quiet = {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: windowNow() } },
    };
    const begun = await watch(world, quiet);
    await begun.measure(95);
    await sweepLedger(world.app);
    expect(taken()).toEqual([]);
    world.clock.shift(3 * HOUR);
    await received('alarm.fired');
    await begun.until(SUCCESS);
    await world.admin.data(`${DATA}/notify/update`, {
      id: begun.notifyId,
      notifyExt: { content: windowNow() },
    });
    await begun.measure(20);
    await sweepLedger(world.app);
    expect(taken()).toEqual(['alarm.fired']);
    world.clock.shift(3 * HOUR);
    await received('alarm.fired', 'alarm.recovered');
  });

  it('gets what fired within the limit of the rate and goes on, when the limit is over', async () => {
    awayFor(0);
    const watched = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyInterval: MINUTE },
    });
    await watched.measure(95);
    await watched.until(SUCCESS);
    await watched.measure(20);
    await received('alarm.fired', 'alarm.recovered');
    await watched.until(SUCCESS, SUCCESS);
    await watched.measure(96);
    await sweepLedger(world.app);
    expect(taken()).toHaveLength(2);
    world.clock.shift(MINUTE);
    await received('alarm.fired', 'alarm.recovered', 'alarm.fired');
  });

  it('is reminded until the alarm is confirmed', async () => {
    awayFor(0);
    const watched = await remindedEveryMinute();
    await sweepLedger(world.app);
    world.clock.shift(MINUTE);
    await received('alarm.fired', 'alarm.fired');
    await watched.until(SUCCESS, SUCCESS);
    const { alarmId = '' } = (await watched.state()) ?? {};
    await world.admin.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
    await sweepLedger(world.app);
    world.clock.shift(5 * MINUTE);
    await sweepLedger(world.app);
    expect(await watched.history()).toHaveLength(2);
  });

  it('gets no reminder that waits for its next try, once the alarm is confirmed', async () => {
    awayFor(0);
    const watched = await remindedEveryMinute();
    hook.answer(status(503));
    await sweepLedger(world.app);
    world.clock.shift(MINUTE);
    await watched.until(SUCCESS, RETRY);
    const { alarmId = '' } = (await watched.state()) ?? {};
    await world.admin.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
    awayFor(0);
    for (let minute = 0; minute < 6; minute += 1) {
      await sweepLedger(world.app);
      world.clock.shift(MINUTE);
    }
    await watched.until(SUCCESS, FAILED);
    expect(taken()).toEqual([]);
    // What is not confirmed any more is reminded of again.
    await world.admin.data(`${DATA}/dashboard/alert/unconfirm?source=point&id=${alarmId}`, {});
    await sweepLedger(world.app);
    await received('alarm.fired');
    await watched.measure(20);
    await received('alarm.fired', 'alarm.recovered');
  });

  it.each([
    [
      'changed',
      'its rule was changed',
      'update',
      { ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 99 } } } },
    ],
    ['switched off', 'its rule was disabled', 'update', { enableFlag: 'DISABLE' }],
    ['deleted', 'its rule was deleted', 'delete', {}],
  ])('gets the end of an alarm whose rule is %s', async (_name, why, path, change) => {
    awayFor(0);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    await watched.until(SUCCESS);
    await world.admin.data(`${DATA}/rule/${path}`, { id: watched.ruleId, ...change });
    await received('alarm.fired', 'alarm.recovered');
    expect(String(accepted[1]?.body)).toContain(why);
  });

  it('gets the end of an alarm whose device is deleted', async () => {
    awayFor(0);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    await watched.until(SUCCESS);
    await world.admin.data('/api/v3/manager/device/delete', { id: watched.plant.deviceId });
    world.clock.shift(MINUTE);
    await received('alarm.fired', 'alarm.recovered');
  });

  it('that is bound, or switched on, while an alarm fires gets the alarm', async () => {
    awayFor(0);
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    const { notifyId } = watched;
    await watched.measure(95);
    await watched.until(SUCCESS);
    const levels = { bindExt: { content: { levels: ['P0'] } } };
    const bound = { notifyId, channelId: await channelTo(world.admin, { target: hook.url }) };
    const bindId = await addTo(world.admin, 'notify/channel/bind', { ...bound, ...levels });
    const off = await channelTo(world.admin, { target: hook.url, enableFlag: 'DISABLE' });
    await addTo(world.admin, 'notify/channel/bind', { notifyId, channelId: off });
    const elsewhere = { channelId: off, notifyId: (await watch(world, {})).notifyId };
    await addTo(world.admin, 'notify/channel/bind', elsewhere);
    await sweepLedger(world.app);
    expect(await watched.history()).toHaveLength(1);
    const change = { id: bindId, bindExt: { content: {} } };
    await world.admin.data(`${DATA}/notify/channel/bind/update`, change);
    await watched.until(SUCCESS, SUCCESS);
    await world.admin.data(`${DATA}/notify/channel/update`, { id: off, enableFlag: 'ENABLE' });
    const told = await watched.until(SUCCESS, SUCCESS, SUCCESS);
    expect(told.map(({ channelId }) => channelId)).toEqual([
      watched.channelIds[0],
      bound.channelId,
      off,
    ]);
    await watched.measure(20);
    await eventually(watched.history, (rows) => rows.length === 6);
  });

  it('that was refused by its receiver gets the alarm when it is mended', async () => {
    accepted = [];
    hook.answer(status(410));
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    await watched.measure(95);
    await watched.until(FAILED);
    awayFor(0);
    await world.admin.data(`${DATA}/notify/channel/update`, {
      id: watched.channelIds[0],
      target: `${hook.url}/mended`,
      credential: webhookSecret,
    });
    await received('alarm.fired');
  });
});
