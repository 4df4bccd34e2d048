import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { SessionEvents } from '../../src/mcp/session/events.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { speak } from '../support/people/mcp-session.ts';
import { happens } from '../support/runs/happenings.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const ACTIVE = 'svc://alarm/active';
const Notice = z.looseObject({ params: z.looseObject({ uri: z.string() }) });
const Answer = z.looseObject({
  result: z.looseObject({
    structuredContent: z.looseObject({ nextCursor: z.string(), returned: z.number() }),
  }),
});

let token: string;
const world = startedWorld();
const tenant = prepared(() => world.tenant('resumed'));
beforeAll(async () => {
  token = await bearerFor(tenant, { scope: 'svc:read' });
});

const alarm = () => happens(world, { tenantId: tenant.tenantId, message: 'It is too warm' });

type Event = { id: string; data: string };

/** The events of a stream as they come; `cut` ends the connection of the client. */
function eventsOf(response: Response) {
  const events: Event[] = [];
  const reader = response.body?.getReader();
  const read = async (): Promise<void> => {
    let text = '';
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) return;
      text += Buffer.from(value ?? []).toString();
      const whole = text.split('\n\n');
      text = whole.pop() ?? '';
      for (const one of whole) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(one)?.[1] ?? '';
        events.push({ id: field('id'), data: field('data') });
      }
    }
  };
  void read().catch(() => {});
  const seen = (is: (event: Event) => boolean) =>
    eventually(
      async () => events.find(is),
      (event) => event !== undefined,
    );
  return { events, seen, cut: async () => reader?.cancel() };
}
const isNotice = ({ data }: Event) =>
  data !== '' && Notice.safeParse(JSON.parse(data)).data?.params.uri === ACTIVE;

async function subscribed() {
  const one = await speak(world.base, token);
  const said = await one.send({ method: 'resources/subscribe', params: { uri: ACTIVE } });
  expect(await said.text()).toContain('"result":{}');
  return one;
}

describe('a stream that was cut', () => {
  it('gives its place at once, and is gone on with from there', async () => {
    const one = await subscribed();
    const first = eventsOf(await one.listen());
    const place = await first.seen(({ id }) => id !== '');
    await first.cut();
    await alarm();
    const second = eventsOf(await one.listen(place?.id));
    const notice = await second.seen(isNotice);
    await second.cut();
    await alarm();
    const third = eventsOf(await one.listen(notice?.id));
    await third.seen(isNotice);
    expect(third.events.filter(isNotice)).toHaveLength(1);
  });

  it('is not waited for where its end was never heard of: the new one takes its place', async () => {
    const one = await subscribed();
    const halfOpen = await one.listen();
    const second = eventsOf(await one.listen());
    await second.seen(({ id }) => id !== '');
    await alarm();
    await second.seen(isNotice);
    expect(await halfOpen.text()).not.toContain(ACTIVE);
  });

  it('begins anew after a place that is not kept, with all that the session follows', async () => {
    const one = await subscribed();
    const stream = eventsOf(await one.listen('e999'));
    await stream.seen(isNotice);
  });

  it('is reopened by the official client, which hears of the next change', async () => {
    const cuts: (() => void)[] = [];
    let opened = 0;
    const old = new Client({ name: 'platform-tests', version: '1.0.0' }, { capabilities: {} });
    const told: string[] = [];
    old.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      told.push(params.uri);
    });
    const transport = new StreamableHTTPClientTransport(new URL(`${world.base}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      async fetch(url, init) {
        if (init?.method !== 'GET') return fetch(url, init);
        const leaving = new AbortController();
        const signals = [leaving.signal, ...(init.signal ? [init.signal] : [])];
        const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
        if (response.ok) opened += 1;
        cuts.push(() => leaving.abort());
        return response;
      },
    });
    await old.connect(transport);
    await eventually(
      async () => opened,
      (count) => count === 1,
    );
    await old.subscribeResource({ uri: ACTIVE });
    cuts[0]?.();
    await eventually(
      async () => opened,
      (count) => count === 2,
    );
    await alarm();
    await eventually(
      async () => told,
      (uris) => uris.includes(ACTIVE),
    );
    await old.close();
  });
});

it('the answer to a call whose stream was cut is had from its place', async () => {
  const one = await speak(world.base, token);
  const call = (input: object) =>
    one.send({ method: 'tools/call', params: { name: 'waitForEvents', arguments: input } });
  const now = eventsOf(await call({}));
  const { data = '' } = (await now.seen(({ data: text }) => text !== '')) ?? {};
  const cursor = Answer.parse(JSON.parse(data)).result.structuredContent.nextCursor;
  const waiting = eventsOf(await call({ cursor, waitS: 20 }));
  const place = await waiting.seen(({ id }) => id !== '');
  await waiting.cut();
  await alarm();
  const resumed = eventsOf(await one.listen(place?.id));
  const answer = await resumed.seen(({ data: text }) => text.includes('"result"'));
  expect(Answer.parse(JSON.parse(answer?.data ?? '')).result.structuredContent.returned).toBe(1);
});

describe('what is kept of the streams of a session', () => {
  const message = (text: string) => ({ jsonrpc: '2.0' as const, method: 'x', params: { text } });
  const replayed = async (events: SessionEvents, after: string) => {
    const got: string[] = [];
    await events.replayEventsAfter(after, {
      async send(id) {
        got.push(id);
      },
    });
    return got;
  };

  it('is of each stream for itself', async () => {
    const events = new SessionEvents();
    const [a, b] = [events.placeIn('a'), events.placeIn('b')];
    const ofA = await events.storeEvent('a', message('1'));
    const ofB = await events.storeEvent('b', message('2'));
    expect(await replayed(events, a)).toEqual([ofA]);
    expect(await replayed(events, b)).toEqual([ofB]);
    expect(await replayed(events, ofB)).toEqual([]);
  });

  it('is bounded in number and size', async () => {
    const events = new SessionEvents();
    const first = events.placeIn('a');
    const second = await events.storeEvent('a', message('x'.repeat(100_000)));
    await events.storeEvent('a', message('x'.repeat(100_000)));
    expect(events.streamOf(second)).toBeUndefined();
    for (let at = 0; at < 300; at += 1) await events.storeEvent('a', message('y'));
    expect(events.streamOf(first)).toBeUndefined();
    expect(events.streamOf('e303')).toBe('a');
    await expect(replayed(events, first)).rejects.toThrow('not kept');
  });
});
