import { createParser } from 'eventsource-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { frame, say } from '../support/neighbours/model.ts';
import { worker } from '../support/people/accounts.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { chatFrames, Chunk, ErrorBody, question, withFacts } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const Messages = z.array(z.looseObject({ content: z.string(), status: z.string() }));
type Heard = { id: string | undefined; data: string };

let session: Session;
const chatWorld = started(startChatWorld);
beforeAll(() => {
  session = chatWorld.world.admin;
});

const kept = async (conversationId: string) =>
  Messages.parse(
    (await session.get('/api/v3/agentic/message/list', { conversation_id: conversationId })).body
      .data,
  );

/** Reads events until `isEnough`, or to the end of the stream. */
async function listen(response: Response, isEnough: (heard: Heard[]) => boolean = () => false) {
  const heard: Heard[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => heard.push({ id, data }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
    if (done) return heard;
    parser.feed(value ?? '');
    if (isEnough(heard)) return heard;
  }
}

const begin = (conversationId: string, signal?: AbortSignal) =>
  fetch(`${session.base}/api/v3/agentic/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...session.headers },
    body: JSON.stringify(
      question('tell me', { stream: true, conversationId, x_svc: { resumable: true } }),
    ),
    signal: signal ?? AbortSignal.timeout(20_000),
  });

const follow = (turnId: string, after: number, headers = session.headers) =>
  fetch(`${session.base}/api/v3/agentic/chat/stream/${turnId}?after=${after}`, {
    headers,
    signal: AbortSignal.timeout(20_000),
  });

const turnIdOf = (heard: readonly Heard[]): string =>
  Chunk.parse(JSON.parse(heard[0]?.data ?? '')).id;
const textOf = (heard: readonly Heard[]): string =>
  heard
    .filter(({ data }) => data.startsWith('{"id"'))
    .map(({ data }) => Chunk.parse(JSON.parse(data)).choices[0]?.delta.content ?? '')
    .join('');

/** Says `before` at once and `after` when it is let. */
function slow(before: string, after: string): { go(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  chatWorld.answer(() => async (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (content: string, finish: string | null = null) =>
      frame({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
    res.write(chunk(before));
    await promise;
    res.end(`${chunk(after, 'stop')}data: [DONE]\n\n`);
  });
  return { go: resolve };
}

describe('a resumable turn', () => {
  it('goes on without its client, which follows it from the last event it got', async () => {
    const model = slow('It is ', '41 °C.');
    const leaving = new AbortController();
    const first = await listen(await begin('resumed', leaving.signal), (heard) =>
      textOf(heard).includes('It is'),
    );
    leaving.abort();
    const last = Number(first.at(-1)?.id);
    expect(first.map(({ id }) => Number(id))).toEqual(first.map((_, at) => at + 1));
    const again = await follow(turnIdOf(first), last);
    // Answered at once, though there is nothing to send before the model goes on.
    expect((await follow(turnIdOf(first), 1_000)).status).toBe(200);
    model.go();
    const rest = await listen(again);
    expect(Number(rest[0]?.id)).toBe(last + 1);
    expect(textOf(first) + textOf(rest)).toEqual(withFacts('It is 41 °C.'));
    expect(rest.at(-1)?.data).toBe('[DONE]');
    expect(await kept('resumed')).toMatchObject([{}, { content: 'It is 41 °C.', status: 'OK' }]);
    // The whole of an ended turn can be read again for a while.
    expect(textOf(await listen(await follow(turnIdOf(first), 0)))).toEqual(
      withFacts('It is 41 °C.'),
    );
  });

  it('is nothing for another person, and unknown ids are 404 in the words of OpenAI', async () => {
    slow('It is ', '41 °C.').go();
    const heard = await listen(await begin('mine'));
    const { session: other } = await worker(session, ['svc-center-agentic:chat:list']);
    for (const response of [
      await follow(turnIdOf(heard), 0, other.headers),
      await follow(`chatcmpl-${'0'.repeat(24)}`, 0),
    ]) {
      expect(response.status).toBe(404);
      expect(ErrorBody.parse(await response.json()).error.code).toBe('not_found');
    }
    expect((await follow('no-id', 0)).status).toBe(400);
  });

  it('is stopped by its person, and what there is of its answer is kept', async () => {
    slow('It is ', 'never said');
    const response = await begin('stopped');
    const turn = Promise.withResolvers<string>();
    const all = listen(response, (heard) => {
      if (textOf(heard).includes('It is')) turn.resolve(turnIdOf(heard));
      return false;
    });
    await session.data('/api/v3/agentic/session/turn/stop', { turn: await turn.promise });
    const heard = await all;
    expect(heard.map(({ data }) => data).join()).toContain('turn_stopped');
    expect(await kept('stopped')).toMatchObject([{}, { content: 'It is ', status: 'UNFINISHED' }]);
  });
});

describe('a turn that does not run in this process', () => {
  it('answers what was stored of it', async () => {
    chatWorld.answer(() => say('All is well.'));
    const { data } = await chatFrames(session, 'hello', { conversationId: 'elsewhere' });
    const { id } = Chunk.parse(JSON.parse(data[0] ?? ''));
    const heard = await listen(await follow(id, 3));
    expect(textOf(heard)).toBe('All is well.');
    expect(heard[0]?.data).toContain('"type":"turn.stored"');
    expect(heard.map((one) => one.data).join('\n')).toContain('"type":"facts"');
    expect(heard.at(-1)?.data).toBe('[DONE]');
  });

  it('says of a broken answer that it is one', async () => {
    slow('It is ', 'never said');
    const leaving = new AbortController();
    const response = await fetch(`${session.base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify(question('tell me', { stream: true, conversationId: 'broken' })),
      signal: leaving.signal,
    });
    const first = await listen(response, (heard) => textOf(heard).includes('It is'));
    const id = turnIdOf(first);
    const early = await follow(id, 0);
    if (early.status === 503) {
      expect(early.headers.get('retry-after')).toBe('2');
      expect(ErrorBody.parse(await early.json()).error.code).toBe('turn_elsewhere');
    }
    leaving.abort();
    await eventually(
      () => kept('broken'),
      (found) => found.length === 2,
    );
    const heard = await listen(await follow(id, 0));
    expect(textOf(heard)).toBe('It is ');
    expect(heard.map(({ data }) => data).join()).toContain('turn_unfinished');
  });
});

describe('an answer', () => {
  it('says how many more turns may run, in the headers of OpenAI', async () => {
    chatWorld.answer(() => say('All is well.'));
    const { headers } = await chatFrames(session, 'hello');
    expect(headers.get('x-ratelimit-limit-requests')).toBe('8');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('7');
  });
});
