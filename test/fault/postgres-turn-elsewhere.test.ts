import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { frame } from '../support/neighbours/model.ts';
import { worker } from '../support/people/accounts.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { Chunk, ErrorBody, question, withFacts } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { started } from '../support/world/prepared.ts';

const Made = z.object({ id: z.string(), status: z.string() });
type Event = { id: string | undefined; data: string };

let session: Session;
const chatWorld = started(startChatWorld);
const second = started(() => otherGateway(chatWorld.world.app));
beforeAll(() => {
  session = chatWorld.world.admin;
});

/** Reads events until `isEnough`, or to the end of the stream. */
async function listen(response: Response, isEnough: (events: Event[]) => boolean = () => false) {
  expect(response.status).toBe(200);
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => events.push({ id, data }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
    if (done) return events;
    parser.feed(value ?? '');
    if (isEnough(events)) return events;
  }
}

const textOf = (events: readonly Event[]): string =>
  events
    .filter(({ data }) => data.startsWith('{"id"'))
    .map(({ data }) => Chunk.parse(JSON.parse(data)).choices[0]?.delta.content ?? '')
    .join('');

/** Lets the model say `It is `, and the rest when it is let; `left` is called when the platform asks it no more. */
function slow(left = (): void => {}): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  chatWorld.answer(() => async (res) => {
    res.once('close', left);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (content: string, finish: string | null = null) =>
      frame({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
    res.write(chunk('It is '));
    await promise;
    res.end(`${chunk('41 °C.', 'stop')}data: [DONE]\n\n`);
  });
  return resolve;
}

/** A turn at the first process that has said `It is `, and goes on when it is let; in no conversation unless named. */
async function begun(conversationId?: string) {
  const goOn = slow();
  const asked = {
    stream: true,
    x_svc: { resumable: true },
    ...(conversationId && { conversationId }),
  };
  const leaving = new AbortController();
  const response = await fetch(`${session.base}/api/v3/agentic/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...session.headers },
    body: JSON.stringify(question('tell me', asked)),
    signal: leaving.signal,
  });
  const before = await listen(response, (events) => textOf(events).includes('It is'));
  leaving.abort();
  const id = Chunk.parse(JSON.parse(before[0]?.data ?? '')).id;
  return { id, before, last: Number(before.at(-1)?.id), goOn };
}

const follow = (id: string, after: number, headers = session.headers) =>
  fetch(`${second.base}/api/v3/agentic/chat/stream/${id}?after=${after}`, {
    headers,
    signal: AbortSignal.timeout(20_000),
  });

describe('a turn that another process runs', () => {
  it('is followed live from the last event, and read again from the first', async () => {
    const turn = await begun();
    const rest = await follow(turn.id, turn.last);
    const whole = await follow(turn.id, 0);
    turn.goOn();
    const after = await listen(rest);
    expect(Number(after[0]?.id)).toBe(turn.last + 1);
    expect(textOf(turn.before) + textOf(after)).toEqual(withFacts('It is 41 °C.'));
    expect(after.at(-1)?.data).toBe('[DONE]');
    const all = await listen(whole);
    expect(all.map(({ id }) => Number(id)).slice(0, -1)).toEqual(
      all.slice(1).map((_, at) => at + 1),
    );
    expect(textOf(all)).toEqual(withFacts('It is 41 °C.'));
    expect(all.map(({ data }) => data).join()).toContain('turn.end');
  });

  it('is read there after its end too, with all its events', async () => {
    const turn = await begun('ended-elsewhere');
    turn.goOn();
    const first = await fetch(`${session.base}/api/v3/agentic/chat/stream/${turn.id}`, {
      headers: session.headers,
    });
    const here = await listen(first);
    const there = await listen(await follow(turn.id, 0));
    expect(there).toEqual(here);
  });

  it('is stopped there by its person', async () => {
    const turn = await begun('stopped-elsewhere');
    const rest = await follow(turn.id, turn.last);
    const stopped = await fetch(`${second.base}/api/v3/agentic/session/turn/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify({ turn: turn.id }),
    });
    expect(stopped.status).toBe(200);
    expect((await listen(rest)).map(({ data }) => data).join()).toContain('turn_stopped');
    turn.goOn();
  });

  it('is stopped by the deletion of its conversation there, and others go on', async () => {
    const other = await begun('kept-elsewhere');
    const turn = await begun('deleted-elsewhere');
    const [rest, kept] = await Promise.all([
      follow(turn.id, turn.last),
      follow(other.id, other.last),
    ]);
    const removed = await fetch(`${second.base}/api/v3/agentic/session/delete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify({ conversationId: 'deleted-elsewhere' }),
    });
    expect(removed.status).toBe(200);
    const here = await fetch(
      `${session.base}/api/v3/agentic/chat/stream/${turn.id}?after=${turn.last}`,
      { headers: session.headers, signal: AbortSignal.timeout(10_000) },
    );
    expect((await listen(here)).map(({ data }) => data).join()).toContain('turn_stopped');
    await rest.body?.cancel();
    other.goOn();
    expect(textOf(await listen(kept))).toContain('41 °C.');
    turn.goOn();
  });

  it('is a response in the background: followed there from any event, cancelled and deleted', async () => {
    const goOn = slow();
    const ask = (path: string, init: object = {}, base = second.base) =>
      fetch(`${base}/api/v3/agentic/responses${path}`, {
        headers: { 'content-type': 'application/json', ...session.headers },
        signal: AbortSignal.timeout(20_000),
        ...init,
      });
    const make = async () => {
      const body = JSON.stringify({ input: 'which?', background: true });
      const response = await ask('', { method: 'POST', body }, session.base);
      return Made.parse(await response.json());
    };
    const made = await make();
    const rest = await ask(`/${made.id}?stream=true&starting_after=0`);
    goOn();
    const events = (await listen(rest)).map(({ data }) =>
      z.looseObject({}).parse(JSON.parse(data)),
    );
    expect(events[0]).toMatchObject({ sequence_number: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: made.id } });
    slow();
    const { id } = await make();
    const stopped = await ask(`/${id}/cancel`, { method: 'POST' });
    expect(Made.parse(await stopped.json())).toMatchObject({ id, status: 'cancelled' });
    const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
    slow(left);
    const asked = chatWorld.model.requests.length;
    const deleted = await make();
    await eventually(
      async () => chatWorld.model.requests.length,
      (count) => count > asked,
    );
    expect((await ask(`/${deleted.id}`, { method: 'DELETE' })).status).toBe(200);
    await isLeft;
  });

  it('is nothing there for another person, and unknown ids are 404', async () => {
    const turn = await begun();
    const { session: other } = await worker(session, ['svc-center-agentic:chat:list']);
    for (const response of [
      await follow(turn.id, 0, other.headers),
      await follow(`chatcmpl-${'0'.repeat(24)}`, 0),
    ]) {
      expect(response.status).toBe(404);
      expect(ErrorBody.parse(await response.json()).error.code).toBe('not_found');
    }
    turn.goOn();
  });
});
