import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { endSilences } from '../../src/alarm/watch/silence-scan.ts';
import { DATA, FAILED, RETRY, SUCCESS, watch } from '../support/devices/notify.ts';
import { scanTwice, silentPlant } from '../support/devices/silent-plant.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { worker } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const ALERT = `${DATA}/dashboard/alert`;
const MINUTE_MS = 60_000;
const Report = z.looseObject({
  silenced: z.object({ until: z.string(), by: z.string(), reason: z.string() }).nullable(),
  receivers: z.array(z.looseObject({ why: z.string(), event: z.string() })),
});

const Rows = z.array(z.looseObject({ id: z.string(), sourceId: z.string().optional() }));

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);

beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

const inMinutes = (minutes: number): string =>
  new Date(world.clock.now() + minutes * MINUTE_MS).toISOString();
const watched = (more: object = {}) => watch(world, { channels: [{ target: hook.url }], ...more });
type Watched = Awaited<ReturnType<typeof watched>>;
const alarmOf = async ({ state }: Watched): Promise<string> => (await state())?.alarmId ?? '0';
const reportOf = async (alarmId: string) =>
  Report.parse(await world.admin.data(`${ALERT}/report`, undefined, { alarm_id: alarmId }));
const silence = (id: string) => world.admin.data(`${ALERT}/silence`, { id, until: inMinutes(60) });
const events = async ({ history }: Watched) => (await history()).map(({ eventFlag }) => eventFlag);

describe('a silenced alarm', () => {
  it('tells nobody of its end and its later episodes, while alarms go on and say why', async () => {
    const hot = await watched();
    await hot.measure(95);
    await hot.until(SUCCESS);
    const first = await alarmOf(hot);
    const until = inMinutes(60);
    const reason = 'the boiler is being cleaned';
    await world.admin.data(`${ALERT}/silence`, { id: first, until, reason });
    await hot.measure(10);
    await hot.measure(95);
    expect(await events(hot)).toEqual(['FIRED']);
    const second = await alarmOf(hot);
    expect(second).not.toBe(first);
    const { silenced, receivers } = await reportOf(second);
    expect(silenced).toEqual({ until, by: 'admin', reason });
    expect(receivers).toMatchObject([
      { event: 'FIRED', status: 'LEFT_OUT', why: 'not sent: a person silenced the rule there' },
    ]);
    const { alarms } = z
      .object({ alarms: z.array(Report.omit({ receivers: true }).extend({ alarmId: z.string() })) })
      .parse(await world.admin.data(`${ALERT}/search`, { limit: 100 }));
    expect(alarms.find(({ alarmId }) => alarmId === second)?.silenced?.by).toBe('admin');
  });

  it('that fires on when the time is up is told of then, once, to those that have not got it', async () => {
    const hot = await watched();
    await hot.measure(95);
    await hot.until(SUCCESS);
    await silence(await alarmOf(hot));
    await hot.measure(10);
    await hot.measure(95);
    await endSilences(world.app);
    expect(await events(hot)).toEqual(['FIRED']);
    world.clock.shift(61 * MINUTE_MS);
    await endSilences(world.app);
    await endSilences(world.app);
    // The end of the one that it knew, then the one that goes on.
    const [, , late] = await hot.until(SUCCESS, SUCCESS, SUCCESS);
    expect(late).toMatchObject({ eventFlag: 'FIRED', alarmId: await alarmOf(hot) });
    expect(hot.channelIds).toEqual([late?.channelId]);
    const { silenced, receivers } = await reportOf(await alarmOf(hot));
    expect(silenced).toBeNull();
    // Why it waited is in its timeline; what the channel knows now is that it got it.
    expect(receivers).toMatchObject([{ event: 'FIRED', status: 'SUCCESS', why: '' }]);
    await hot.measure(10);
    await hot.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    expect(await events(hot)).toEqual(['FIRED', 'RECOVERED', 'FIRED', 'RECOVERED']);
  });

  it('is not told of twice where the silence began after the notification', async () => {
    const hot = await watched();
    await hot.measure(95);
    await hot.until(SUCCESS);
    await silence(await alarmOf(hot));
    world.clock.shift(61 * MINUTE_MS);
    await endSilences(world.app);
    expect(await events(hot)).toEqual(['FIRED']);
  });

  it('of which a message waits for its next try sends nothing until the time is up, or the silence ends', async () => {
    hook.answer(status(503));
    const hot = await watched();
    await hot.measure(95);
    await hot.until(RETRY);
    const id = await alarmOf(hot);
    await silence(id);
    const [held] = await hot.until(FAILED);
    expect(held?.errorMessage).toBe('a person silenced the rule there');
    hook.answer(status(204));
    const tried = hook.received.length;
    world.clock.shift(10 * MINUTE_MS);
    await sweepLedger(world.app);
    expect(hook.received).toHaveLength(tried);
    await world.admin.data(`${ALERT}/unsilence`, { id });
    await hot.until(SUCCESS);
    const ids = hook.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('that is over before the time is up is not told of', async () => {
    const hot = await watched();
    await hot.measure(95);
    await hot.until(SUCCESS);
    await silence(await alarmOf(hot));
    await hot.measure(10);
    await hot.measure(95);
    await hot.measure(10);
    world.clock.shift(61 * MINUTE_MS);
    await endSilences(world.app);
    await hot.until(SUCCESS, SUCCESS);
    expect(await events(hot)).toEqual(['FIRED', 'RECOVERED']);
    await hot.measure(95);
    await hot.until(SUCCESS, SUCCESS, SUCCESS);
  });

  it('sends no reminders either, and the next ones when the time is up', async () => {
    const repeat = { enabled: true, intervalMs: 1_000, maxTimes: 5 };
    const hot = await watched({ notify: { notifyExt: { content: { repeat } } } });
    await hot.measure(95);
    await hot.until(SUCCESS);
    await silence(await alarmOf(hot));
    world.clock.shift(2 * MINUTE_MS);
    await hot.measure(96);
    expect(await events(hot)).toHaveLength(1);
    world.clock.shift(61 * MINUTE_MS);
    await hot.measure(97);
    await hot.until(SUCCESS, SUCCESS);
  });

  it('is not silenced any more when a person ends it, and is told of at once', async () => {
    const hot = await watched();
    await hot.measure(95);
    await hot.until(SUCCESS);
    await silence(await alarmOf(hot));
    await hot.measure(10);
    await hot.measure(95);
    const id = await alarmOf(hot);
    await world.admin.data(`${ALERT}/unsilence`, { id });
    await hot.until(SUCCESS, SUCCESS, SUCCESS);
    await world.admin.data(`${ALERT}/unsilence`, { id });
    expect(await events(hot)).toEqual(['FIRED', 'RECOVERED', 'FIRED']);
    const logged = z.array(z.looseObject({ action: z.string() })).parse(
      await world.admin.data('/api/v3/auth/identity_audit/list', {
        resourceType: 'ALARM',
        resourceId: id,
      }),
    );
    expect(logged.map(({ action }) => action)).toEqual(['UNSILENCE']);
  });

  it('holds another rule or place back neither', async () => {
    const hot = await watched();
    const other = await watched();
    for (const each of [hot, other]) {
      await each.measure(95);
      await each.until(SUCCESS);
    }
    await silence(await alarmOf(hot));
    await other.measure(10);
    await other.until(SUCCESS, SUCCESS);
    expect(await events(hot)).toEqual(['FIRED']);
  });

  it('may be an outage: what is still away when the time is up is told of then', async () => {
    const mine = world.admin;
    const { notifyId } = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: { alarmTypes: ['OFFLINE', 'STATE_FLIP'] } } },
    });
    const plant = await silentPlant(world);
    const alarms = async () =>
      Rows.parse(await plant.alarms(mine)).flatMap(({ id, sourceId }) => (sourceId ? [id] : []));
    /** Of the device alone: others are away too when the clock is put forward. */
    const sent = async (): Promise<string[]> => {
      const ids = await alarms();
      const { records } = z
        .object({ records: z.array(z.looseObject({ alarmId: z.string(), eventFlag: z.string() })) })
        .parse(await mine.data(`${DATA}/notify/history/list`, { notifyId, page: { size: 100 } }));
      return records
        .filter(({ alarmId }) => ids.includes(alarmId))
        .map(({ eventFlag }) => eventFlag);
    };
    const goAway = async () => {
      await plant.beat(world);
      await scanTwice(world);
      world.clock.shift(50_000);
      // Its driver goes on: else that would be the cause.
      await plant.beat(world, true);
      await scanTwice(world);
    };
    await goAway();
    expect(await sent()).toEqual(['FIRED']);
    const [first = '0'] = await alarms();
    await silence(first);
    await goAway();
    expect(await alarms()).toHaveLength(2);
    expect(await sent()).toEqual(['FIRED']);
    world.clock.shift(61 * MINUTE_MS);
    await endSilences(world.app);
    expect(await sent()).toEqual(['FIRED', 'RECOVERED', 'FIRED']);
  });
});

describe('a silence', () => {
  it.each([
    ['past', -1],
    ['now', 0],
    ['longer than 7 days', 7 * 24 * 60 + 1],
  ])('is refused where its time is %s', async (_which, minutes) => {
    const hot = await watched();
    await hot.measure(95);
    const id = await alarmOf(hot);
    const asked = { id, until: inMinutes(minutes) };
    expect((await world.admin.post(`${ALERT}/silence`, asked)).status).toBe(400);
    expect((await reportOf(id)).silenced).toBeNull();
  });

  it('takes a person with the right to confirm, of the tenant of the alarm', async () => {
    const hot = await watched();
    await hot.measure(95);
    const id = await alarmOf(hot);
    const body = { id, until: inMinutes(5) };
    const scope = 'svc:read svc:read-device svc:propose svc:chat';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const reader = await worker(world.admin, ['svc-center-data:dashboard:list']);
    const theirs = await world.tenant(fresh('silence'));
    for (const path of ['silence', 'unsilence']) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await request(world.base, 'POST', `${ALERT}/${path}`, { headers, body });
      expect(answer.status, path).toBe(403);
      expect((await reader.session.post(`${ALERT}/${path}`, body)).status).toBe(403);
      expect((await theirs.post(`${ALERT}/${path}`, body)).status).toBe(404);
    }
    expect((await reportOf(id)).silenced).toBeNull();
  });

  it('needs a rule that watches the place: a reported alarm has none', async () => {
    const hot = await watched();
    await world.bus.handled(
      'svc.e.alarm',
      {
        tenantId: world.admin.tenantId,
        target: 'DEVICE',
        entityId: hot.plant.deviceId,
        type: 'FAULT',
        source: 'DEVICE_REPORT',
        message: 'the pump is blocked',
        occurTime: world.clock.now(),
      },
      world.admin.tenantId,
    );
    const { records } = z
      .object({ records: z.array(z.looseObject({ id: z.string() })) })
      .parse(await world.admin.data(`${ALERT}/page`, { deviceId: hot.plant.deviceId }));
    const body = { id: records[0]?.id, until: inMinutes(5) };
    const { status: code, body: said } = await world.admin.post(`${ALERT}/silence`, body);
    expect([code, said.message]).toEqual([409, expect.stringContaining('no rule watches')]);
  });
});
