import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { addTo, DATA, FAILED, RETRY, SUCCESS, watch } from '../support/devices/notify.ts';
import { type PushedBrowser, startPushService } from '../support/neighbours/push-service.ts';
import { worker } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const PUSH = `${DATA}/notify/push`;
const ALARMS = 'svc-center-data:dashboard:list';
const State = z.object({
  publicKey: z.string(),
  channelId: z.string().nullable(),
  policies: z.number(),
  browsers: z.array(z.object({ id: z.string(), browserName: z.string(), since: z.string() })),
});

const service = started(startPushService);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${service.hostPort}` } }),
);
beforeEach(() => {
  service.pushed.length = 0;
  service.wrong.length = 0;
  mine.clear();
});

/** The browsers of this test: the alarm of an earlier one may still be sent to those of its person. */
const mine = new Set<string>();
const pushed = () => service.pushed.filter(({ browser }) => mine.has(browser));

const stateOf = async (session: Session) => State.parse(await session.data(`${PUSH}/get`));

/** A browser of the person, which subscribes. */
async function browserOf(session: Session): Promise<PushedBrowser & { path: string }> {
  const { publicKey } = await stateOf(session);
  const browser = service.browser(publicKey);
  await session.data(`${PUSH}/subscribe`, { ...browser, browserName: 'Firefox, Linux' });
  const path = new URL(browser.endpoint).pathname;
  mine.add(path);
  return { ...browser, path };
}

/** A person that may read alarms, whose channel a policy with a rule names. */
async function notified(browsers: number) {
  const person = await worker(world.admin, [ALARMS]);
  const own: Awaited<ReturnType<typeof browserOf>>[] = [];
  for (let n = 0; n < browsers; n += 1) own.push(await browserOf(person.session));
  const { channelId } = await stateOf(person.session);
  const watched = await watch(world, {});
  await addTo(world.admin, 'notify/channel/bind', { notifyId: watched.notifyId, channelId });
  return { person, own, channelId, watched };
}

const reached = (): string[] =>
  pushed()
    .map(({ browser }) => browser)
    .toSorted();
const paths = (own: readonly { path: string }[]): string[] =>
  own.map(({ path }) => path).toSorted();

describe('the browsers of a person', () => {
  it('each get the alarm and its end, encrypted, with its page; its channel says how many policies name it', async () => {
    const { person, own, watched } = await notified(2);
    expect(await stateOf(person.session)).toMatchObject({
      policies: 1,
      browsers: [{ browserName: 'Firefox, Linux' }, { browserName: 'Firefox, Linux' }],
    });
    await watched.measure(95);
    const [row] = await watched.until(SUCCESS);
    expect(reached()).toEqual(paths(own));
    const [first] = pushed();
    expect(first).toMatchObject({
      ttl: '86400',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
      claims: { aud: `http://${service.hostPort}` },
      message: {
        title: row?.requestExt.title,
        text: row?.requestExt.text,
        page: `/alarms/${row?.alarmId}`,
      },
    });
    await watched.measure(60);
    await watched.until(SUCCESS, SUCCESS);
    expect(pushed()).toHaveLength(4);
    expect(new Set(pushed().map(({ topic }) => topic)).size).toBe(1);
    expect(pushed().at(-1)?.urgency).toBe('normal');
    expect(service.wrong).toEqual([]);
  });

  it('of which one is not reached: that alone is tried again', async () => {
    const { own, watched } = await notified(2);
    const [late, prompt] = own;
    if (!late || !prompt) throw new Error('no browsers');
    service.answer(late, 503);
    await watched.measure(95);
    await watched.until(RETRY);
    expect(reached()).toEqual([prompt.path]);
    service.answer(late, 201);
    world.clock.shift(6_000);
    await watched.until(SUCCESS);
    expect(reached()).toEqual(paths(own));
  });

  it('of which the one that was not reached is removed: the other gets nothing twice', async () => {
    const { person, own, watched } = await notified(2);
    const [late, prompt] = own;
    if (!late || !prompt) throw new Error('no browsers');
    service.answer(late, 503);
    await watched.measure(95);
    await watched.until(RETRY);
    const [first] = (await stateOf(person.session)).browsers;
    await person.session.data(`${PUSH}/unsubscribe`, { browser: first?.id });
    world.clock.shift(6_000);
    await watched.until(SUCCESS);
    expect(reached()).toEqual([prompt.path]);
  });

  it.each([404, 410])(
    'that answer %i are removed; a new one gets the alarm that fires on',
    async (code) => {
      const { person, own, watched } = await notified(2);
      const [gone, kept] = own;
      if (!gone || !kept) throw new Error('no browsers');
      service.answer(gone, code);
      await watched.measure(95);
      await watched.until(SUCCESS);
      expect(reached()).toEqual([kept.path]);
      expect((await stateOf(person.session)).browsers).toHaveLength(1);
      service.answer(kept, code);
      await watched.measure(60);
      await watched.until(SUCCESS, FAILED);
      expect((await stateOf(person.session)).browsers).toEqual([]);
      await watched.measure(95);
      const rows = await watched.until(SUCCESS, FAILED, FAILED);
      expect(rows.at(-1)?.errorMessage).toBe('no browser of the person is subscribed');
      const fresh = await browserOf(person.session);
      await eventually(
        async () => reached(),
        (all) => all.includes(fresh.path),
      );
    },
  );

  it('get nothing any more once the person may not read alarms', async () => {
    const { person, watched } = await notified(1);
    const bound = Records.parse(
      await world.admin.data('/api/v3/auth/role_principal/list', {
        principalId: person.principalId,
        page: { size: 10 },
      }),
    );
    for (const { id } of bound.records)
      await world.admin.data('/api/v3/auth/role_principal/delete', {}, { id });
    await watched.measure(95);
    const [row] = await watched.until(FAILED);
    expect(row?.errorMessage).toBe('the person may not read alarms');
    expect(pushed()).toEqual([]);
    expect((await person.session.get(`${PUSH}/get`)).status).toBe(403);
  });

  it('are removed by the person, and by no other person or tenant', async () => {
    const { person, watched } = await notified(1);
    const [browser] = (await stateOf(person.session)).browsers;
    const other = await worker(world.admin, [ALARMS]);
    const foreign = await world.tenant('push-foreign');
    for (const session of [other.session, foreign]) {
      expect(await stateOf(session)).toMatchObject({ channelId: null, policies: 0, browsers: [] });
      await session.data(`${PUSH}/unsubscribe`, { browser: browser?.id });
    }
    expect((await stateOf(person.session)).browsers).toHaveLength(1);
    // The same browser in another tenant is another subscription.
    await browserOf(foreign);
    await watched.measure(95);
    await watched.until(SUCCESS);
    expect(pushed()).toHaveLength(1);
    await person.session.data(`${PUSH}/unsubscribe`, { browser: browser?.id });
    expect((await stateOf(person.session)).browsers).toEqual([]);
  });

  it('are tried by the test of the channel; their endpoints are sealed, and in no answer', async () => {
    const { person, own, channelId } = await notified(1);
    const [browser] = own;
    if (!browser || channelId === null) throw new Error('no browser');
    const tested = await world.admin.data(`${DATA}/notify/channel/test`, { id: channelId });
    expect(tested).toEqual({ outcome: 'DELIVERED', why: 'Taken for 1 of 1' });
    expect(pushed()[0]?.message).toMatchObject({ page: '/notifications' });
    const shown = await world.admin.data(`${DATA}/notify/channel/get_by_id`, undefined, {
      id: channelId,
    });
    expect(shown).toMatchObject({ target: `person:${person.principalId}`, credentialSet: true });
    const stored = await inTenant(world.app.db, world.admin.tenantId, (q) =>
      q
        .selectFrom('svc_notify_channel')
        .select('credential')
        .where('id', '=', channelId)
        .executeTakeFirstOrThrow(),
    );
    for (const text of [JSON.stringify(shown), stored.credential])
      expect(text).not.toContain(browser.path);
    expect(stored.credential).toMatch(/^enc:v1:/);
  });
});

describe('a subscription', () => {
  const given = async (session: Session) => {
    const { publicKey } = await stateOf(session);
    return { ...service.browser(publicKey), browserName: 'Chrome, Android' };
  };

  it.each([
    ['an address that is not public', 422, { endpoint: 'https://10.0.0.1/send/x' }],
    ['an endpoint without TLS', 422, { endpoint: 'http://push.example/send/x' }],
    ['no address', 422, { endpoint: 'push' }],
    ['a key that is not of the curve', 400, { p256dh: `B${'A'.repeat(86)}` }],
    ['a secret of another length', 400, { auth: 'AAAA' }],
    ['what it does not know', 400, { vapid: 'x' }],
  ])('is refused with %s: %i', async (_what, code, wrong) => {
    const answer = await world.admin.post(`${PUSH}/subscribe`, {
      ...(await given(world.admin)),
      ...wrong,
    });
    expect(answer.status).toBe(code);
  });

  it('is of a person on an interactive login, and one of ten', async () => {
    const { session } = await worker(world.admin, [ALARMS]);
    for (let n = 0; n < 10; n += 1) await browserOf(session);
    const eleventh = await given(session);
    expect((await session.post(`${PUSH}/subscribe`, eleventh)).status).toBe(409);
    const scope = 'svc:read svc:read-device svc:propose svc:chat';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const byToken = await request(world.base, 'POST', `${PUSH}/subscribe`, {
      body: eleventh,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(byToken.status).toBe(403);
  });

  it('again of the same browser is the same one', async () => {
    const { session } = await worker(world.admin, [ALARMS]);
    const one = await given(session);
    const ids = [
      await session.data(`${PUSH}/subscribe`, one),
      await session.data(`${PUSH}/subscribe`, one),
    ];
    expect((await stateOf(session)).browsers.map(({ id }) => id)).toEqual([ids[0]]);
    expect(ids[1]).toBe(ids[0]);
  });

  it('comes from the browser alone: a channel takes no other address and no secret', async () => {
    const channel = { channelTypeFlag: 'WEBHOOK', channelExt: { content: { kind: 'push' } } };
    for (const wrong of [
      { target: 'person:1' },
      { target: 'https://push.example/send', credential: '' },
    ])
      expect(
        (
          await world.admin.post(`${DATA}/notify/channel/add`, {
            ...channel,
            channelName: 'of others',
            credential: 'https://push.example/send',
            ...wrong,
          })
        ).status,
      ).toBe(422);
    const { channelId } = await notified(1);
    const moved = await world.admin.post(`${DATA}/notify/channel/update`, {
      id: channelId,
      target: 'person:1',
    });
    expect(moved.status).toBe(422);
  });
});
