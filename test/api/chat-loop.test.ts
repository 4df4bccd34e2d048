import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { call, type FakeModel, say, type Sent } from '../support/neighbours/model.ts';
import { type ChatWorld, inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import type { World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';

let world: World;
let model: FakeModel;
let answer: ChatWorld['answer'];
/** How many requests the model had before the test. */
let before = 0;
const rounds = (): Sent[] => model.requests.slice(before);

const chatWorld = started(startChatWorld);
beforeAll(() => {
  ({ world, model, answer } = chatWorld);
});
const session = prepared(() => world.admin);

beforeEach(() => {
  before = model.requests.length;
  answer(() => say('All is well.'));
});

describe('the loop', () => {
  it('stops after eight rounds, the last of which offers no tools', async () => {
    answer((_sent, round) => call(['searchDevices', { deviceName: `n${round}` }]));
    const { text, events } = await chat(session, 'go on');
    expect(rounds()).toHaveLength(8);
    expect(rounds().map(({ tools }) => tools !== undefined)).toEqual([
      ...Array.from({ length: 7 }, () => true),
      false,
    ]);
    expect(text).toContain('I stopped here');
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', steps: 8, stop: 'limit' });
  });

  it('stops when the same call comes a third time, however it is written', async () => {
    const spellings = ['{"deviceName":"x","limit":5}', '{ "limit": 5, "deviceName": "x" }'];
    answer((_sent, round) => call(['searchDevices', spellings[round % 2] ?? '']));
    const { text } = await chat(session, 'again and again');
    expect(rounds()).toHaveLength(3);
    expect(text).toContain('I stopped here');
  });

  it('runs at most eight calls of one round', async () => {
    answer((sent) =>
      inTurn(sent) === 0
        ? call(
            ...Array.from({ length: 10 }, (_, index): [string, object] => [
              'searchDevices',
              { deviceName: `n${index}` },
            ]),
          )
        : say('Enough.'),
    );
    await chat(session, 'many');
    const told = results(rounds()[1]);
    expect(told).toHaveLength(10);
    expect(told.slice(0, 8).every((result) => JSON.stringify(result).includes('total'))).toBe(true);
    expect(told[9]).toMatchObject({ error: expect.stringContaining('at most 8') });
  });

  it('runs for eight questions of one person at a time; a ninth is told to come back', async () => {
    const over = Promise.withResolvers<void>();
    answer(() => async (res) => {
      await over.promise;
      await say('At last.')(res);
    });
    const waiting = Array.from({ length: 8 }, () => chat(session, 'wait'));
    await eventually(
      async () => rounds().length,
      (count) => count === 8,
    );
    answer(() => say('At once.'));
    const ninth = await chatAnswer(session, question('me too'));
    expect(ninth).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
    expect(ninth.headers.get('retry-after')).toBe('1');
    const other = await world.tenant('someone-else');
    expect((await chat(other, 'and me')).text).toBe('At once.');
    over.resolve();
    for (const { text } of await Promise.all(waiting)) expect(text).toBe('At last.');
    expect((await chat(session, 'now')).text).toBe('At once.');
  });

  it('stops asking the model when the client has left', async () => {
    const waiting = Promise.withResolvers<void>();
    answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': thinking\n\n');
      waiting.resolve();
    });
    const left = model.left();
    const leaving = new AbortController();
    const turn = fetch(`${session.base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify(question('think', { stream: true, conversationId: 'left-early' })),
      signal: leaving.signal,
    });
    await waiting.promise;
    leaving.abort();
    await turn.then((response) => response.text()).catch(() => {});
    await eventually(
      async () => model.left(),
      (count) => count === left + 1,
    );
    const kept = await eventually(
      async () => JSON.stringify(await messages('left-early')),
      (text) => text.includes('UNFINISHED'),
    );
    expect(kept).toContain('think');
  });
});

const messages = (conversationId: string) =>
  session
    .get('/api/v3/agentic/message/list', { conversation_id: conversationId })
    .then(({ body }) => body.data);
