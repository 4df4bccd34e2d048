import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { speak, type Spoken } from '../support/people/mcp-session.ts';
import { happens } from '../support/runs/happenings.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { started, startedWorld } from '../support/world/prepared.ts';

const ACTIVE = 'svc://alarm/active';
const Notice = z.looseObject({ params: z.looseObject({ uri: z.string() }) });

let token: string;
const world = startedWorld();
const first = started(() => otherGateway(world.app));
const second = started(() => otherGateway(world.app));
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read' });
});

const session = async () => speak(first.base, token);
const status = async (one: Spoken) => {
  const response = await one.send({ method: 'tools/list' });
  await response.text();
  return response.status;
};
const alarm = () => happens(world, { tenantId: world.admin.tenantId, message: 'It is too warm' });
const subscribe = async (one: Spoken) =>
  (await one.send({ method: 'resources/subscribe', params: { uri: ACTIVE } })).text();

type Event = { id: string | undefined; data: string };

/** The events of a stream as they come. */
function eventsOf(response: Response) {
  expect(response.status).toBe(200);
  const events: Event[] = [];
  let hasEnded = false;
  const parser = createParser({ onEvent: ({ id, data }) => events.push({ id, data }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    for (;;) {
      const { done = true, value = '' } = (await reader?.read()) ?? {};
      if (done) return;
      parser.feed(value);
    }
  })();
  void reading.catch(() => {}).finally(() => (hasEnded = true));
  const isNotice = ({ data }: Event) =>
    data !== '' && Notice.safeParse(JSON.parse(data)).data?.params.uri === ACTIVE;
  const seen = (is: (event: Event) => boolean) =>
    eventually(
      async () => events.find(is),
      (event) => event !== undefined,
    );
  const ended = () =>
    eventually(
      async () => hasEnded,
      (is) => is,
    );
  const notices = () => events.filter(isNotice).length;
  return { seen, isNotice, notices, ended, cut: async () => reader?.cancel() };
}

describe('a session that began at one process', () => {
  it('is stored whatever its client says of itself, also what no database stores', async () => {
    const experimental = { 'a\u0000b': { c: 'broken \ud800', d: ['\u0000'] } };
    const one = await speak(first.base, token, { experimental });
    expect(await status(one.at(second.base))).toBe(200);
    await one.close();
  });

  it('is served by every other one, with what its client said at the beginning', async () => {
    const one = await session();
    const there = one.at(second.base);
    expect(await status(there)).toBe(200);
    const again = await (
      await there.send({ method: 'logging/setLevel', params: { level: 'error' } })
    ).text();
    expect(again).toContain('"result":{}');
    expect(await status(one)).toBe(200);
  });

  it('goes on after its process was started again', async () => {
    const process = await otherGateway(world.app);
    const one = await speak(process.base, token);
    expect(await status(one)).toBe(200);
    process.close();
    expect(await status(one.at(second.base))).toBe(200);
  });

  it('ends in all of them, wherever its client ends it', async () => {
    const one = await session();
    const there = one.at(second.base);
    expect(await status(there)).toBe(200);
    expect((await there.close()).status).toBe(200);
    await eventually(
      () => status(one),
      (got) => got === 404,
    );
    expect(await status(there)).toBe(404);
  });

  it('is nothing for another principal there', async () => {
    const theirs = await bearerFor(world.admin, { scope: 'svc:read' });
    const one = (await session()).at(second.base);
    for (const method of ['tools/list', 'resources/subscribe'])
      expect((await one.send({ method, params: { uri: ACTIVE } }, theirs)).status).toBe(404);
    expect((await one.close(theirs)).status).toBe(404);
    expect(await status(one)).toBe(200);
  });
});

describe('the stream of a session', () => {
  it('has what the client subscribes to at another process', async () => {
    const one = await session();
    const stream = eventsOf(await one.listen());
    await stream.seen(({ id }) => id !== undefined);
    expect(await subscribe(one.at(second.base))).toContain('"result":{}');
    await alarm();
    await stream.seen(stream.isNotice);
    await stream.cut();
  });

  it('is gone on with at another process from its last event, which misses nothing', async () => {
    const one = await session();
    await subscribe(one);
    const before = eventsOf(await one.listen());
    const place = await before.seen(({ id }) => id !== undefined);
    await before.cut();
    await alarm();
    const after = eventsOf(await one.at(second.base).listen(place?.id));
    const notice = await after.seen(after.isNotice);
    await after.cut();
    const last = eventsOf(await one.listen(notice?.id));
    await alarm();
    await last.seen(last.isNotice);
    await last.cut();
  });

  it('ends at one process when the client opens it at another', async () => {
    const one = await session();
    await subscribe(one);
    const before = eventsOf(await one.listen());
    await before.seen(({ id }) => id !== undefined);
    const after = eventsOf(await one.at(second.base).listen());
    await before.ended();
    await alarm();
    await after.seen(after.isNotice);
    expect(before.notices()).toBe(0);
    await after.cut();
  });

  it('begins with all that is followed after a place that is not known', async () => {
    const one = await session();
    await subscribe(one);
    for (const place of ['e999', 'n', 'n999999999999', 'n0']) {
      const stream = eventsOf(await one.at(second.base).listen(place));
      await stream.seen(stream.isNotice);
      await stream.cut();
    }
  });
});
