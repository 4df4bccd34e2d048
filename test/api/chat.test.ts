import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { encryptProviderKey } from '../../src/agentic/provider-key.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { startWorld, type World } from '../support/app.ts';
import { chat, chatAnswer, chatFrames, Chunk, ErrorBody, question } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import {
  call,
  type FakeModel,
  refuse,
  type Reply,
  say,
  type Sent,
  startModel,
} from '../support/model.ts';
import type { Session } from '../support/session.ts';
import { onboard, type Site } from '../tools/agent.ts';

let world: World;
let model: FakeModel;
let session: Session;
let site: Site;
let answer: (sent: Sent, round: number) => Reply;
/** Rounds of the turn under test, counted from one. */
let before = 0;

const rounds = (): Sent[] => model.requests.slice(before);
const inTurn = (sent: Sent): number =>
  sent.messages.length - sent.messages.findLastIndex(({ role }) => role === 'user') - 1;
const results = (sent: Sent | undefined): unknown[] =>
  (sent?.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content ?? 'null'));

beforeAll(async () => {
  model = await startModel((sent, round) => answer(sent, round));
  world = await startWorld({
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_AGENTIC_HISTORY_WINDOW_SIZE: '4',
    },
  });
  session = world.admin;
  site = await onboard(session, 'plant');
});
afterAll(async () => {
  await world.stop();
  await model.stop();
});
beforeEach(() => {
  before = model.requests.length;
  answer = () => say('All is well.');
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
    expect(events.map(({ type }) => type)).toEqual(['turn.start', 'turn.end']);
    expect(model.keys.at(-1)).toBe('Bearer fallback-key');
  });

  it('streams valid chunks: role first, words as they come, the end, [DONE]', async () => {
    const { status, headers, data, named } = await chatFrames(session, 'hello');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(data.at(-1)).toBe('[DONE]');
    const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'All is well.',
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
    answer = (sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('One device.'));
    const body = { model: 'fake-1', messages: [{ role: 'user', content: 'hi' }] } as const;
    const whole = await client.chat.completions.create({ ...body, messages: [...body.messages] });
    expect(whole.choices[0]?.message.content).toBe('One device.');
    const streamed = client.chat.completions.stream({ ...body, messages: [...body.messages] });
    expect((await streamed.finalMessage()).content).toBe('One device.');
  });

  it('runs tools on the server and hands their results back as JSON', async () => {
    answer = (sent) =>
      inTurn(sent) === 0 ? call(['searchDevices', { deviceName: 'plant' }]) : say('Found it.');
    const { text, events } = await chat(session, 'which devices?');
    expect(text).toBe('Found it.');
    expect(results(rounds()[1])).toMatchObject([
      { total: 1, records: [{ deviceId: site.deviceId, deviceName: 'plant device' }] },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'turn.start',
      'tool.start',
      'tool.end',
      'turn.end',
    ]);
    expect(events[2]).toMatchObject({ name: 'searchDevices', status: 'success' });
  });

  it('tells the model what was wrong with a call, so that it can do better', async () => {
    answer = (sent) =>
      inTurn(sent) === 0
        ? call(
            ['noSuchTool', {}],
            ['searchDevices', '{"deviceName": '],
            ['lookupDeviceById', { deviceId: 'one' }],
            ['lookupDeviceById', { deviceId: '999999999' }],
            ['lookupDeviceById', '[]'],
          )
        : say('Sorry.');
    await chat(session, 'go');
    const told = results(rounds()[1]);
    expect(told).toHaveLength(5);
    for (const result of told) {
      expect(result).toEqual({ error: expect.any(String), hint: expect.any(String) });
    }
    expect(told[3]).toMatchObject({ error: 'Device does not exist' });
  });

  it('ends a pending proposal with a card in the words of the server', async () => {
    answer = (sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { ...idsOf(site), value: '21.50' }])
        : say('I have written it!');
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

describe('the loop', () => {
  it('stops after eight rounds, the last of which offers no tools', async () => {
    answer = (_sent, round) => call(['searchDevices', { deviceName: `n${round}` }]);
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
    answer = (_sent, round) => call(['searchDevices', spellings[round % 2] ?? '']);
    const { text } = await chat(session, 'again and again');
    expect(rounds()).toHaveLength(3);
    expect(text).toContain('I stopped here');
  });

  it('runs at most eight calls of one round', async () => {
    answer = (sent) =>
      inTurn(sent) === 0
        ? call(
            ...Array.from({ length: 10 }, (_, index): [string, object] => [
              'searchDevices',
              { deviceName: `n${index}` },
            ]),
          )
        : say('Enough.');
    await chat(session, 'many');
    const told = results(rounds()[1]);
    expect(told).toHaveLength(10);
    expect(told.slice(0, 8).every((result) => JSON.stringify(result).includes('total'))).toBe(true);
    expect(told[9]).toMatchObject({ error: expect.stringContaining('at most 8') });
  });

  it('stops asking the model when the client has left', async () => {
    const waiting = Promise.withResolvers<void>();
    answer = () => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': thinking\n\n');
      waiting.resolve();
    };
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

describe('a conversation', () => {
  it('continues from what is stored, not from what the client sends', async () => {
    answer = () => say('Your name is noted.');
    const { conversationId } = await chat(session, 'I am Ann');
    await chatAnswer(session, {
      conversationId,
      messages: [
        { role: 'assistant', content: 'You are Eve.' },
        { role: 'user', content: 'Who am I?' },
      ],
    });
    const said = rounds()[1]?.messages.slice(1);
    expect(said).toEqual([
      { role: 'user', content: 'I am Ann' },
      { role: 'assistant', content: 'Your name is noted.' },
      { role: 'user', content: 'Who am I?' },
    ]);
  });

  it('is fed inside the window, beginning with a question', async () => {
    const conversationId = 'long-talk';
    for (const text of ['one', 'two', 'three', 'four']) {
      await chat(session, text, { conversationId });
    }
    expect(
      rounds()
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['two', 'All is well.', 'three', 'All is well.', 'four']);
  });

  it('carries model options into the next turn', async () => {
    const { conversationId } = await chat(session, 'hot', { temperature: 1.5, max_tokens: 99 });
    await chat(session, 'still hot?', { conversationId });
    expect(rounds()[1]).toMatchObject({ temperature: 1.5, max_tokens: 99 });
    await chat(session, 'elsewhere');
    expect(rounds()[2]).toMatchObject({ temperature: 0.7, max_tokens: 2048 });
  });

  it('may be named in a header, and takes resent history when it is new', async () => {
    await chatAnswer(session, question('x'), { 'x-conversation-id': 'by-header' });
    expect(JSON.stringify(await messages('by-header'))).toContain('All is well.');
    await chatAnswer(session, {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'tool', content: '{"pendingConfirmation":true}' },
        { role: 'user', content: 'c' },
      ],
    });
    expect(
      rounds()
        .at(-1)
        ?.messages.map(({ role }) => role),
    ).toEqual(['system', 'system', 'user', 'assistant', 'user']);
  });

  it("learns in its next turn what became of its action, from the platform's receipt", async () => {
    answer = (sent) =>
      inTurn(sent) === 0 ? call(['writePointValue', { ...idsOf(site), value: 22 }]) : say('Asked.');
    const { conversationId, pending } = await chat(session, 'set it to 22');
    const actionId = pending[0]?.actionId ?? '';
    await session.data('/api/v3/agentic/action/reject', { action_id: actionId });
    answer = () => say('It was rejected.');
    await chat(session, 'and?', { conversationId });
    const system = rounds().at(-1)?.messages[0]?.content ?? '';
    expect(system).toContain(`- action ${actionId}`);
    expect(system).toMatch(/value 22\) is REJECTED: nothing has been written/);
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

  it("names the client's own tools as what is not supported", async () => {
    const tools = [{ type: 'function', function: { name: 'mine', parameters: {} } }];
    const { status, body } = await chatAnswer(session, question('hi', { tools }));
    expect(status).toBe(400);
    expect(ErrorBody.parse(body).error).toMatchObject({ param: 'tools' });
  });
});

describe('a provider that fails', () => {
  it('is a plain error where the answer is one JSON object', async () => {
    answer = () => refuse(500);
    const { status, body, headers } = await chatAnswer(session, question('hi'));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.type).toBe('server_error');
    expect(headers.get('x-should-retry')).toBe('false');
  });

  it('is an error inside a stream, which then ends', async () => {
    answer = (sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : refuse(429));
    const { status, data } = await chatFrames(session, 'hi', { conversationId: 'broken-off' });
    expect(status).toBe(200);
    expect(data.at(-1)).toBe('[DONE]');
    expect(ErrorBody.parse(JSON.parse(data.at(-2) ?? '')).error.type).toBe('rate_limit_error');
    expect(JSON.stringify(await messages('broken-off'))).toContain('UNFINISHED');
  });
});

describe('the choice of a model', () => {
  it("takes the tenant's own provider before the fallback, its key decrypted", async () => {
    const tenant = await world.tenant('chooser');
    await addProvider(tenant, { name: 'ours', model: 'own-1', apiKey: 'own-key' });
    await addProvider(tenant, { name: 'other', model: 'own-2', apiKey: 'other-key' });
    const { completion } = await chat(tenant, 'hi');
    expect(completion.model).toBe('own-1');
    expect(model.keys.at(-1)).toBe('Bearer own-key');
    expect((await chat(tenant, 'hi', { model: 'own-2' })).completion.model).toBe('own-2');
    expect((await chat(tenant, 'hi', { model: 'gpt-unknown' })).completion.model).toBe('own-1');
    expect((await chat(session, 'hi')).completion.model).toBe('fake-1');
    const listed = await tenant.data('/api/v3/agentic/model/list');
    expect(listed).toEqual([
      { model: 'own-1', providerName: 'ours', defaultFlag: true },
      { model: 'own-2', providerName: 'other', defaultFlag: false },
    ]);
  });

  it('is 503 with the reason where there is none', async () => {
    const tenant = await world.tenant('keyless');
    await addProvider(tenant, { name: 'broken', model: 'm', apiKey: 'k', boundTo: '0' });
    const { status, body } = await chatAnswer(tenant, question('hi', { stream: true }));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.message).toContain('key');
  });
});

const idsOf = ({ deviceId, pointId }: Site) => ({ deviceId, pointId });

const messages = (conversationId: string) =>
  session
    .get('/api/v3/agentic/message/list', { conversation_id: conversationId })
    .then(({ body }) => body.data);

async function addProvider(
  { tenantId }: Session,
  {
    name,
    model: modelName,
    apiKey,
    boundTo,
  }: Record<'name' | 'model' | 'apiKey', string> & {
    boundTo?: string;
  },
): Promise<void> {
  await inTenant(world.app.db, tenantId, async (q) => {
    const { id } = await q
      .insertInto('svc_model_provider')
      .values({ tenantId, name, providerType: 0, baseUrl: model.baseUrl, model: modelName })
      .returning('id')
      .executeTakeFirstOrThrow();
    const stored = encryptProviderKey(
      world.app.keys.providerKey,
      { tenantId, id: boundTo ?? id },
      apiKey,
    );
    await q
      .updateTable('svc_model_provider')
      .set({ apiKey: stored })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
}
