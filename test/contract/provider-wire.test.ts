import { afterEach, describe, expect, it } from 'vitest';

import type { ModelDelta, ModelRequest } from '../../providers/request/provider.ts';
import { createEgress } from '../../src/kernel/egress/egress.ts';
import { type Dialect, everyDialect } from '../support/neighbours/dialects.ts';
import { type FakeModel, refuse, type Reply, stream } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

const KEY = 'sk-very-secret-1';
const request: ModelRequest = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  temperature: 0.2,
  maxTokens: 7,
};

let upstream: FakeModel<unknown> | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

async function complete(
  { open, start }: Dialect,
  reply: Reply,
  { clock = new TestClock(), more = {} }: { clock?: TestClock; more?: Partial<ModelRequest> } = {},
): Promise<ModelDelta[]> {
  await upstream?.stop();
  upstream = await start(reply);
  const provider = open({ baseUrl: `${upstream.baseUrl}/`, apiKey: KEY, clock, egress: null });
  const deltas: ModelDelta[] = [];
  const { signal } = new AbortController();
  for await (const delta of provider.complete({ ...request, ...more }, signal)) deltas.push(delta);
  return deltas;
}

/** What it failed with, and everything a log would keep of it. */
async function failure(dialect: Dialect, reply: Reply, clock = new TestClock()) {
  const error: unknown = await complete(dialect, reply, { clock }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('the provider did not fail');
  const told: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    told.push(at.message, at.stack ?? '', JSON.stringify(at));
  }
  return { error, told: told.join('\n') };
}

const said = (deltas: ModelDelta[]): string =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

describe.each(everyDialect)('the wire of %s', (_name, dialect) => {
  it('carries the key as a bearer token, once', async () => {
    await complete(dialect, dialect.say('hi'));
    expect(upstream?.keys).toEqual([`Bearer ${KEY}`]);
  });

  it('is understood at whichever byte it is cut in two', async () => {
    const bytes = Buffer.from(
      dialect.begin + dialect.text('Zu heiß 🔥 ') + dialect.text('21 °C') + dialect.end,
    );
    const answers = new Set<string>();
    const server = await dialect.start((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const at = cut++;
      res.write(bytes.subarray(0, at), () => setImmediate(() => res.end(bytes.subarray(at))));
    });
    upstream = server;
    let cut = 1;
    const provider = dialect.open({
      baseUrl: server.baseUrl,
      apiKey: KEY,
      clock: new TestClock(),
      egress: null,
    });
    while (cut < bytes.length) {
      const deltas: ModelDelta[] = [];
      const { signal } = new AbortController();
      for await (const delta of provider.complete(request, signal)) deltas.push(delta);
      answers.add(said(deltas));
    }
    expect([...answers]).toEqual(['Zu heiß 🔥 21 °C']);
  });

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['CR', (text: string) => text.replaceAll('\n', '\r')],
    [
      'comments between events',
      (text: string) => `: hi\n\n${text.replaceAll('\n\n', '\n\n: x\n\n')}`,
    ],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    [
      'fields nobody knows',
      (text: string) => text.replaceAll('data:', 'id: 7\nretry: 5\nx: y\ndata:'),
    ],
  ])('is understood with %s, one byte at a time', async (_what, change) => {
    const whole = change(dialect.begin + dialect.text('Zu heiß 🔥') + dialect.end);
    const bytes = Array.from(Buffer.from(whole), (byte) => Buffer.from([byte]));
    expect(said(await complete(dialect, stream(...bytes)))).toBe('Zu heiß 🔥');
  });

  it('may be one JSON answer of a vendor that does not stream', async () => {
    const deltas = await complete(dialect, refuse(200, {}, dialect.json), {
      more: { stream: false },
    });
    expect(said(deltas)).toBe('whole');
    expect(deltas.at(-1)).toEqual({
      type: 'finish',
      reason: 'length',
      usage: { promptTokens: 3, completionTokens: 4 },
    });
    expect(upstream?.requests[0]).toMatchObject({ stream: false });
  });

  it.each([
    [401, 503, 'key'],
    [403, 503, 'key'],
    [404, 503, 'does not know the model'],
    [400, 422, 'refused the request'],
    [413, 422, 'refused the request'],
    [422, 422, 'refused the request'],
    [429, 429, 'rate limit'],
    [500, 503, 'failed'],
    [502, 503, 'failed'],
    [503, 503, 'failed'],
    [529, 503, 'overloaded'],
  ])(
    'turns status %i into our %i; the vendor text is for the log alone, without the key',
    async (theirs, ours, why) => {
      const body = `{"error":{"message":"the key ${KEY} is bad"}}`;
      const { error, told } = await failure(dialect, refuse(theirs, {}, body));
      expect(error).toMatchObject({ status: ours, message: expect.stringContaining(why) });
      expect(error.message).not.toContain('bad');
      expect(JSON.stringify(error)).not.toContain('bad');
      expect(error.cause).toMatchObject({
        message: `HTTP ${theirs}: {"error":{"message":"the key *** is bad"}}`,
      });
      expect(told).not.toContain(KEY);
      if (ours === 422) expect(error).toMatchObject({ detail: { status: theirs } });
      expect(upstream?.requests).toHaveLength(1);
    },
  );

  it.each([
    ['12', 12],
    ['1.2', 2],
    ['-1', 30],
    ['x', 30],
    ['1e99', 30],
    [undefined, 30],
    // The clock of the test says 08:00:00.
    ['Mon, 05 Jan 2026 08:01:30 GMT', 90],
    ['Mon, 05 Jan 2026 07:00:00 GMT', 1],
    ['Sat, 05 Jan 2126 08:00:00 GMT', 3600],
    ['Mon, 99 Jan 2026 08:00:00 GMT', 30],
    ['2027', 2027],
    ['2026-01-05T08:01:30Z', 30],
  ])('hands on that a rate limit lasts %s', async (given, seconds) => {
    const headers: Record<string, string> = given === undefined ? {} : { 'retry-after': given };
    const { error } = await failure(dialect, refuse(429, headers));
    expect(error).toMatchObject({ status: 429, detail: { retryAfterSeconds: seconds } });
  });

  it('is not followed elsewhere', async () => {
    const elsewhere = refuse(307, { location: 'http://127.0.0.1:1/v1/chat/completions' });
    const { error } = await failure(dialect, elsewhere);
    expect(error).toMatchObject({ status: 503, message: expect.stringContaining('redirects') });
    expect(upstream?.requests).toHaveLength(1);
  });

  it.each<[string, (dialect: Dialect) => Reply]>([
    ['an error among the events', (d) => stream(d.begin, d.text('half '), d.failure(KEY))],
    ['broken JSON', () => stream(`data: {"${KEY}":\n\n`)],
    ['an event that is no object', () => stream('data: [1]\n\n')],
    ['an end in the middle', (d) => stream(d.begin, d.text('half '))],
    ['an empty answer', () => stream('')],
    ['no JSON where it says so', () => refuse(200, {}, '<html>')],
    ['an endless event', () => stream('data: ', 'x'.repeat(1_200_000), '\n\n')],
    [
      'too much',
      (d) => stream(d.begin, ...Array.from({ length: 12 }, () => d.text('y'.repeat(900_000)))),
    ],
    [
      'a closed connection',
      (d) => (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(d.begin + d.text('half '), () => res.destroy());
      },
    ],
    ['a connection closed before the answer', () => (res) => void res.destroy()],
    ['nonsense', () => (res) => void res.socket?.end('nonsense\r\n\r\n')],
  ])('fails with 503 at %s', async (_what, reply) => {
    const clock = new TestClock();
    const { error, told } = await failure(dialect, reply(dialect), clock);
    expect(error).toMatchObject({ status: 503 });
    expect(told).not.toContain(KEY);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, (clock: TestClock) => Reply]>([
    ['before it answers', (clock) => () => void clock.advance(61_000)],
    [
      'in the middle',
      (clock) => (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(dialect.begin, () => void clock.advance(61_000));
      },
    ],
  ])('is given up after a minute of silence %s', async (_when, silent) => {
    const clock = new TestClock();
    const { error } = await failure(dialect, silent(clock), clock);
    expect(error).toMatchObject({ status: 503 });
    expect(clock.pending).toBe(0);
  });

  it('may be silent for longer where the answer comes in one piece', async () => {
    const clock = new TestClock();
    const slow =
      (seconds: number): Reply =>
      async (res) => {
        await clock.advance(seconds * 1_000);
        await refuse(200, {}, dialect.json)(res);
      };
    const more = { stream: false };
    expect(said(await complete(dialect, slow(100), { clock, more }))).toBe('whole');
    await expect(complete(dialect, slow(121), { clock, more })).rejects.toMatchObject({
      status: 503,
    });
    expect(clock.pending).toBe(0);
  });

  it('is closed by who aborts in the middle, with his reason', async () => {
    upstream = await dialect.start((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(dialect.begin + dialect.text('half '));
    });
    const clock = new TestClock();
    const provider = dialect.open({ baseUrl: upstream.baseUrl, apiKey: KEY, clock, egress: null });
    const left = new AbortController();
    const reason = new Error('the client left');
    const run = async () => {
      for await (const _ of provider.complete(request, left.signal)) left.abort(reason);
    };
    await expect(run()).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it('leads nowhere when nobody listens', async () => {
    upstream = await dialect.start(dialect.say('never'));
    const { baseUrl } = upstream;
    await upstream.stop();
    upstream = undefined;
    const provider = dialect.open({ baseUrl, apiKey: '', clock: new TestClock(), egress: null });
    const run = async () => {
      for await (const _ of provider.complete(request, new AbortController().signal));
    };
    await expect(run()).rejects.toMatchObject({ status: 503 });
    await expect(provider.models(new AbortController().signal)).rejects.toMatchObject({
      status: 503,
    });
  });

  it('does not leave for an address that is not public, unless it was opened', async () => {
    upstream = await dialect.start(dialect.say('hi'));
    const { baseUrl, requests } = upstream;
    const { host } = new URL(baseUrl);
    for (const [allow, status] of [
      [[], 503],
      [[host], 200],
    ] as const) {
      const egress = createEgress({ allow });
      const provider = dialect.open({ baseUrl, apiKey: KEY, clock: new TestClock(), egress });
      const { signal } = new AbortController();
      const run = async () => {
        for await (const _ of provider.complete(request, signal));
        return { status: 200, models: await provider.models(signal) };
      };
      const done = await run().catch((error: unknown) => error);
      expect(done).toMatchObject({ status });
      expect(requests).toHaveLength(status === 200 ? 1 : 0);
      if (status !== 200)
        await expect(provider.models(signal)).rejects.toMatchObject({ status: 503 });
      await egress.close();
    }
  });
});
