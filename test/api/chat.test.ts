import OpenAI from 'openai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { call, type FakeModel, refuse, say, type Sent } from '../support/neighbours/model.ts';
import { type ChatWorld, inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import {
  chat,
  chatAnswer,
  chatFrames,
  Chunk,
  ErrorBody,
  question,
  withFacts,
} from '../support/people/chat.ts';
import type { World } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

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
const site = prepared(() => onboard(session, 'plant'));

beforeEach(() => {
  before = model.requests.length;
  answer(() => say('All is well.'));
});

describe('200', () => {
  it('is one completion in the shape of OpenAI', async () => {
    const { text, completion, events } = await chat(session, 'hello');
    expect(text).toBe('All is well.');
    expect(completion).toMatchObject({
      model: 'fake-1',
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(completion.choices[0].finish_reason).toBe('stop');
    expect(events.map(({ type }) => type)).toEqual(['turn.start', 'facts', 'turn.end']);
    expect(model.keys.at(-1)).toBe('Bearer fallback-key');
  });

  it('streams the first word at once, and words that come faster than a write is worth together', async () => {
    const words = Array.from({ length: 200 }, (_, at) => ` w${at}`).join('');
    answer(() => say(words));
    const { data } = await chatFrames(session, 'hello');
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    const texts = chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
    expect(texts[0]).toBe(' w0');
    expect(texts.join('')).toEqual(withFacts(words));
    expect(texts.length).toBeLessThan(100);
  });

  it('streams valid chunks: role first, words as they come, the end, [DONE]', async () => {
    const { status, headers, data, named } = await chatFrames(session, 'hello');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(data.at(-1)).toBe('[DONE]');
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toEqual(
      withFacts('All is well.'),
    );
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.every(({ choices, usage }) => choices.length === 1 && !usage)).toBe(true);
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
    expect(named).toEqual([]);
  });

  it('counts tokens in one extra chunk when asked to', async () => {
    const more = { stream_options: { include_usage: true } };
    const { data } = await chatFrames(session, 'hello', more);
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(1);
    expect(chunks.at(-1)?.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
    });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it("is what OpenAI's own client expects, streamed and not", async () => {
    const client = new OpenAI({
      baseURL: `${session.base}/api/v3/agentic`,
      apiKey: 'unused',
      maxRetries: 0,
      defaultHeaders: { ...session.headers, Authorization: null },
    });
    answer((sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('One device.')));
    const body = { model: 'fake-1', messages: [{ role: 'user', content: 'hi' }] } as const;
    const whole = await client.chat.completions.create({ ...body, messages: [...body.messages] });
    expect(whole.choices[0]?.message.content).toEqual(withFacts('One device.'));
    const streamed = client.chat.completions.stream({ ...body, messages: [...body.messages] });
    expect((await streamed.finalMessage()).content).toEqual(withFacts('One device.'));
  });

  it('runs tools on the server and hands their results back as JSON', async () => {
    answer((sent) =>
      inTurn(sent) === 0 ? call(['searchDevices', { deviceName: 'plant' }]) : say('Found it.'),
    );
    const { text, events } = await chat(session, 'which devices?');
    expect(text).toBe('Found it.');
    expect(results(rounds()[1])).toMatchObject([
      { total: 1, records: [{ deviceId: site.deviceId, deviceName: 'plant device' }] },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'turn.start',
      'tool.start',
      'tool.end',
      'facts',
      'turn.end',
    ]);
    expect(events[2]).toMatchObject({ name: 'searchDevices', status: 'success' });
  });

  it('tells the model what was wrong with a call, so that it can do better', async () => {
    answer((sent) =>
      inTurn(sent) === 0
        ? call(
            ['noSuchTool', {}],
            ['searchDevices', '{"deviceName": '],
            ['lookupDeviceById', { deviceId: 'one' }],
            ['lookupDeviceById', { deviceId: '999999999' }],
            ['lookupDeviceById', '[]'],
          )
        : say('Sorry.'),
    );
    await chat(session, 'go');
    const told = results(rounds()[1]);
    expect(told).toHaveLength(5);
    for (const result of told) {
      expect(result).toEqual({ error: expect.any(String), hint: expect.any(String) });
    }
    expect(told[3]).toMatchObject({
      error: 'Device does not exist; searchDevices lists what there is',
    });
  });

  it('ends a pending proposal with a card in the words of the server', async () => {
    answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { ...idsOf(site), value: '21.50' }])
        : say('I have written it!'),
    );
    const { data } = await chatFrames(session, 'set it to 21.5');
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toMatch(/I have written it![\s\S]*nothing has been written[\s\S]*21\.5 °C/);
    const pending = chunks.find(({ x_svc }) => x_svc?.type === 'action.pending')?.x_svc?.card;
    expect(pending).toMatchObject({ status: 'PENDING', proposedValue: '21.5', commandId: null });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)?.x_svc).toMatchObject({ type: 'turn.end', stop: 'pending' });
    expect(results(rounds()[1])).toMatchObject([
      { pendingConfirmation: true, actionId: pending?.actionId },
    ]);
  });
});

describe('400', () => {
  it('refuses what it cannot read before it answers anything', async () => {
    for (const body of [{}, { messages: 'hi' }, question('hi', { temperature: 9, stream: true })]) {
      const { status, body: error } = await chatAnswer(session, body);
      expect(status).toBe(400);
      expect(ErrorBody.parse(error).error.type).toBe('invalid_request_error');
    }
    expect(rounds()).toEqual([]);
  });

  it('names what it does not take', async () => {
    const refused: [param: string, body: object][] = [
      ['tools.0.type', { tools: [{ type: 'custom', custom: { name: 'mine' } }] }],
      ['n', { n: 2 }],
      ['audio', { audio: { voice: 'x', format: 'wav' } }],
      ['functions', { functions: [{ name: 'mine' }] }],
      ['response_format', { response_format: { type: 'grammar' } }],
    ];
    for (const [param, more] of refused) {
      const { status, body } = await chatAnswer(session, question('hi', more));
      expect(status, param).toBe(400);
      expect(ErrorBody.parse(body).error.param).toContain(param);
    }
  });
});

describe('a provider that fails', () => {
  it('is a plain error where the answer is one JSON object', async () => {
    answer(() => refuse(500));
    const { status, body, headers } = await chatAnswer(session, question('hi'));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.type).toBe('server_error');
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('is an error inside a stream, which then ends', async () => {
    answer((sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : refuse(429)));
    const { status, data } = await chatFrames(session, 'hi', { conversationId: 'broken-off' });
    expect(status).toBe(200);
    expect(data.at(-1)).toBe('[DONE]');
    expect(ErrorBody.parse(JSON.parse(data.at(-2) ?? '')).error.type).toBe('rate_limit_error');
    expect(await messages('broken-off')).toMatchObject([
      { role: 'user' },
      {
        status: 'UNFINISHED',
        contentExt: { failure: 'The model provider is over its rate limit' },
      },
    ]);
  });

  const proposing = (value: string) =>
    answer((sent) =>
      inTurn(sent) === 0 ? call(['writePointValue', { ...idsOf(site), value }]) : refuse(500),
    );

  it('is told together with the proposal made before it, as JSON', async () => {
    proposing('24.5');
    const { status, body } = await chatAnswer(session, question('set it to 24.5'));
    expect(status).toBe(503);
    expect(body).toMatchObject({
      error: { type: 'server_error' },
      x_svc: {
        conversation_id: expect.any(String),
        pending_actions: [{ status: 'PENDING', proposedValue: '24.5' }],
      },
    });
  });

  it('is told after the card of the proposal in a stream, and both are kept', async () => {
    proposing('23.5');
    const conversationId = 'proposed-then-broken';
    const { data } = await chatFrames(session, 'set it', { conversationId });
    const card = data.findIndex((text) => text.includes('action.pending'));
    const error = data.findIndex((text) => text.startsWith('{"error"'));
    expect(card).toBeGreaterThan(0);
    expect(error).toBeGreaterThan(card);
    expect(data[card]).toContain('23.5');
    expect(JSON.stringify(await messages(conversationId))).toContain('23.5 °C');
  });
});

const idsOf = ({ deviceId, pointId }: Site) => ({ deviceId, pointId });

const messages = (conversationId: string) =>
  session
    .get('/api/v3/agentic/message/list', { conversation_id: conversationId })
    .then(({ body }) => body.data);
