import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  frame,
  refuse,
  type Reply,
  say,
  type Sent,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { addProvider, changed } from '../support/neighbours/providers.ts';
import { worker } from '../support/people/accounts.ts';
import { chat, chatAnswer, chatFrames, ErrorBody, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';

let world: World;
let admin: Session;
let replies: { first: (sent: Sent, at: number) => Reply; second: (sent: Sent) => Reply };
let ids: { first: string; second: string };
const first = prepared(() => startModel((sent, at) => replies.first(sent, at)));
const second = started(() => startModel((sent) => replies.second(sent)));
beforeAll(async () => {
  const hosts = [first, second].map(({ baseUrl }) => new URL(baseUrl).host);
  world = await startWorld({ environment: { SVC_EGRESS_ALLOW: hosts.join(',') } });
  ({ admin } = world);
  ids = {
    first: await addProvider(admin, { name: 'first', baseUrl: first.baseUrl, apiKey: 'one' }),
    second: await addProvider(admin, { name: 'second', baseUrl: second.baseUrl }),
  };
});
afterAll(async () => {
  await world.stop();
  await first.stop();
});
beforeEach(() => {
  replies = { first: () => say('One.'), second: () => say('Two.') };
  first.requests.length = 0;
  second.requests.length = 0;
});

const config = (model: string, more: object = {}) =>
  admin.data(`${AGENTIC}/model/config/add`, { model, providerId: ids.first, ...more });
const codesOf = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ type, code }) => (type === 'warning' ? [code] : []));

describe('the parameters of a model', () => {
  it('are renamed, dropped and added as its configuration says', async () => {
    const parameters = {
      rename: { max_tokens: 'max_completion_tokens' },
      drop: ['temperature'],
      add: { verbosity: 'low' },
    };
    await config('mapped', { parameters, maxTokens: 77 });
    const { events } = await chat(admin, 'hello', { model: 'mapped', temperature: 0.4 });
    expect(first.requests[0]).toMatchObject({ max_completion_tokens: 77, verbosity: 'low' });
    expect(first.requests[0]).not.toHaveProperty('temperature');
    expect(first.requests[0]).not.toHaveProperty('max_tokens');
    expect(codesOf(events)).toEqual(['temperature_ignored']);
  });

  it('that keep an option of the request from the vendor are named in the answer', async () => {
    const asked = {
      top_p: 0.5,
      seed: 7,
      stop: ['END'],
      presence_penalty: 0.5,
      frequency_penalty: 0.5,
      logit_bias: { '50256': -100 },
      logprobs: true,
      verbosity: 'low',
      reasoning_effort: 'low',
      parallel_tool_calls: false,
    };
    const { seed, ...others } = asked;
    // By its name at the vendor.
    const parameters = { rename: { seed: 'random_seed' } };
    await config('renamed', { parameters });
    expect(codesOf((await chat(admin, 'hello', { model: 'renamed', ...asked })).events)).toEqual(
      [],
    );
    expect(first.requests.at(-1)).toMatchObject({ ...others, random_seed: seed });
    await config('bare', { parameters: { drop: ['temperature', ...Object.keys(asked)] } });
    const { completion, events } = await chat(admin, 'hello', { model: 'bare', ...asked });
    const codes = Object.keys(asked).map((name) => `${name}_ignored`);
    expect(new Set(codesOf(events))).toEqual(new Set(codes));
    expect(completion.x_svc.warnings.toSorted()).toEqual(codes.toSorted());
    for (const name of Object.keys(asked)) expect(first.requests.at(-1)).not.toHaveProperty(name);
    expect(codesOf((await chat(admin, 'hello', { model: 'bare' })).events)).toEqual([]);
  });

  it.each([
    [{ add: { messages: [] } }],
    [{ rename: { temperature: 'model' } }],
    [{ drop: ['tools'] }],
    [{ drop: ['a b'] }],
    [{ unknown: {} }],
    [{ add: { long: 'x'.repeat(5_000) } }],
  ])('are no %j', async (parameters) => {
    const { status } = await admin.post(`${AGENTIC}/model/config/add`, {
      model: 'wrong',
      providerId: ids.first,
      parameters,
    });
    expect(status).toBe(400);
  });

  it('are learned from the refusals of the vendor, one by one, and remembered', async () => {
    await config('thinker-1', { maxTokens: 50 });
    replies.first = (sent) => {
      const wrong = sent.max_tokens === undefined ? 'temperature' : 'max_tokens';
      const instead = wrong === 'max_tokens' ? "Use 'max_completion_tokens' instead." : '';
      return sent[wrong] === undefined
        ? say('I reason.')
        : refuse(
            400,
            {},
            JSON.stringify({
              error: { message: `Unsupported parameter: '${wrong}' is not supported. ${instead}` },
            }),
          );
    };
    const ask = () => chat(admin, 'think', { model: 'thinker-1', temperature: 0.3 });
    const { text, events } = await ask();
    expect([text, first.requests.length]).toEqual(['I reason.', 3]);
    expect(codesOf(events)).toEqual(['temperature_ignored']);
    expect((await ask()).text).toBe('I reason.');
    expect(first.requests).toHaveLength(4);
    expect(first.requests[3]).toMatchObject({ max_completion_tokens: 50 });
    const [provider] = z
      .array(z.looseObject({ id: z.string(), learned: z.unknown() }))
      .parse(await admin.data(`${AGENTIC}/provider/list`))
      .filter(({ id }) => id === ids.first);
    const learned = { rename: { max_tokens: 'max_completion_tokens' }, drop: ['temperature'] };
    expect(provider?.learned).toEqual({ 'thinker-1': learned });
  });
});

describe('a model that does not answer', () => {
  beforeAll(() =>
    admin.data(`${AGENTIC}/model/config/add`, {
      model: 'spare',
      providerId: ids.second,
      fallbackOrder: 1,
    }),
  );

  it('is asked again after the wait that its vendor asks for', async () => {
    await config('busy');
    replies.first = (_sent, at) =>
      at < 3 ? refuse(at === 1 ? 429 : 503, { 'retry-after-ms': '20' }) : say('At last.');
    const { text, events } = await chat(admin, 'hello', { model: 'busy' });
    expect([text, first.requests.length, second.requests.length]).toEqual(['At last.', 3, 0]);
    expect(codesOf(events)).toEqual([]);
  });

  it('is replaced before its first token, which the answer says', async () => {
    await config('down');
    replies.first = () => refuse(503, { 'retry-after': '60' });
    const { completion, text, events } = await chat(admin, 'hello', { model: 'down' });
    expect([text, completion.model]).toEqual(['Two.', 'spare']);
    expect(codesOf(events)).toEqual(['model_fallback']);
    const { data } = await chatFrames(admin, 'hello', { model: 'down' });
    const models = data
      .slice(0, -1)
      .map((part) => z.looseObject({ model: z.string() }).parse(JSON.parse(part)).model);
    expect([models[0], models.at(-1)]).toEqual(['down', 'spare']);
  });

  it('is replaced by one that goes without an option, which the answer says too', async () => {
    await admin.data(`${AGENTIC}/model/config/add`, {
      model: 'careful',
      providerId: ids.second,
      fallbackOrder: 2,
      reasoning: true,
      parameters: { drop: ['seed'] },
    });
    await config('away');
    replies.first = () => refuse(503, { 'retry-after': '60' });
    replies.second = (sent) =>
      sent.model === 'spare' ? refuse(503, { 'retry-after': '60' }) : say('Three.');
    const asked = { model: 'away', top_p: 0.5, seed: 7, verbosity: 'low' };
    const { completion, events } = await chat(admin, 'hello', asked);
    expect(completion.model).toBe('careful');
    expect(codesOf(events)).toEqual([
      'model_fallback',
      'model_fallback',
      'top_p_ignored',
      'seed_ignored',
    ]);
  });

  it('is not replaced once it has spoken', async () => {
    await config('breaks');
    const begun = frame({ choices: [{ index: 0, delta: { content: 'So far' } }] });
    replies.first = () => stream(begun);
    const { status } = await chatAnswer(admin, question('hello', { model: 'breaks' }));
    expect([status, second.requests.length]).toEqual([503, 0]);
  });

  it('is not replaced where it refuses the request', async () => {
    await config('picky');
    replies.first = () => refuse(400, {}, '{"error":{"message":"tool 3 has no \\u0007schema"}}');
    const refusal = await chatAnswer(admin, question('hello', { model: 'picky' }));
    expect([refusal.status, first.requests.length, second.requests.length]).toEqual([422, 1, 0]);
    expect(ErrorBody.parse(refusal.body).error.message).toBe(
      'The model provider refused the request; the provider says: HTTP 400: tool 3 has no schema',
    );
    const { session } = await worker(admin, ['svc-center-agentic:chat:list']);
    const other = await chatAnswer(session, question('hello', { model: 'picky' }));
    expect(ErrorBody.parse(other.body).error.message).toBe(
      'The model provider refused the request',
    );
  });

  it('ends with its own error where no other answers either', async () => {
    await config('gone');
    replies.first = () => refuse(404);
    replies.second = () => refuse(401);
    const { status, body } = await chatAnswer(admin, question('hello', { model: 'gone' }));
    expect(status).toBe(503);
    expect(ErrorBody.parse(body).error.message).toMatch(/does not know the model/);
  });

  it('has as long as its provider is given', async () => {
    await config('slow');
    const timeouts = { connectMs: 1_000, firstTokenMs: 200, idleMs: 60_000, totalMs: 60_000 };
    expect(await changed(admin, { id: ids.first, timeouts })).toMatchObject({ timeouts });
    replies.first = () => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const { text, completion } = await chat(admin, 'hello', { model: 'slow' });
    expect([text, completion.model]).toEqual(['Two.', 'spare']);
    await changed(admin, { id: ids.first, timeouts: {} });
  });
});
