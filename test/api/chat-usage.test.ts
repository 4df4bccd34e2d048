import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  call,
  frame,
  refuse,
  type Reply,
  say,
  type Sent,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { worker } from '../support/people/accounts.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { chat, chatAnswer, chatFrames, Chunk, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const Key = z.looseObject({ key: z.string(), keyPrefix: z.string() });
const Step = z.looseObject({ turnId: z.string(), model: z.string(), reason: z.string() });
const Steps = z.object({ records: z.array(Step), total: z.number() });
const Sums = z.array(z.looseObject({ group: z.string() }));

let world: World;
let admin: Session;
let reply: (sent: Sent) => Reply;
let providerId: string;
const vendor = started(() => startModel((sent) => reply(sent)));
beforeAll(async () => {
  const { host } = new URL(vendor.baseUrl);
  world = await startWorld({ environment: { SVC_EGRESS_ALLOW: host } });
  ({ admin } = world);
  providerId = await addProvider(admin, { name: 'vendor', baseUrl: vendor.baseUrl });
});
afterAll(async () => {
  await world.stop();
});
beforeEach(() => {
  reply = () => say('All is well.');
});

const config = (model: string, more: object = {}) =>
  admin.data(`${AGENTIC}/model/config/add`, { model, providerId, ...more });
const steps = async (query: Record<string, string> = {}) =>
  Steps.parse(await admin.data(`${AGENTIC}/usage/list`, undefined, query));
const sums = async (by: string) =>
  Sums.parse(await admin.data(`${AGENTIC}/usage/summary`, undefined, { by }));
const usage = (prompt: number, completion: number, more: object = {}): string =>
  frame({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, ...more } });
const words = (text: string): string =>
  frame({ choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] });
const DONE = 'data: [DONE]\n\n';

describe('each request to a model', () => {
  it('is listed with its tokens, its cost and its time', async () => {
    const price = { prompt: '2.5', cached: '1.25', completion: '10', currency: 'EUR' };
    await config('priced', { price });
    reply = () =>
      stream(
        words('42'),
        usage(1_000, 200, {
          prompt_tokens_details: { cached_tokens: 400 },
          completion_tokens_details: { reasoning_tokens: 150 },
        }),
        DONE,
      );
    const { completion } = await chat(admin, 'how much?', { model: 'priced', user: 'anna' });
    expect(completion.usage).toMatchObject({ prompt_tokens: 1_000, total_tokens: 1_200 });
    const { records } = await steps({ model: 'priced' });
    expect(records).toEqual([
      expect.objectContaining({
        turnId: completion.id,
        step: 1,
        conversationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        userName: 'admin',
        clientId: '',
        endUser: 'anna',
        provider: 'vendor',
        promptTokens: 1_000,
        completionTokens: 200,
        cachedTokens: 400,
        reasoningTokens: 150,
        estimated: false,
        // 600 × 2.5 + 400 × 1.25 + 200 × 10, for a million.
        cost: '0.004000000',
        currency: 'EUR',
        firstTokenMs: expect.any(Number),
        durationMs: expect.any(Number),
        ended: 'OK',
        reason: '',
      }),
    ]);
  });

  it('is counted by its length where the vendor names no usage, and marked', async () => {
    await config('silent');
    reply = () => stream(words('x'.repeat(300)), DONE);
    await chat(admin, 'y'.repeat(3_000), { model: 'silent' });
    const [step] = (await steps({ model: 'silent' })).records;
    expect(step).toMatchObject({ estimated: true, completionTokens: 100, cost: null });
    expect(step?.['promptTokens']).toBeGreaterThan(1_000);
  });

  it('is marked in the answer too where its usage is estimated, streamed and not', async () => {
    await config('quiet');
    const ends = async () => {
      const { completion, events } = await chat(admin, 'hello', { model: 'quiet' });
      const { data } = await chatFrames(admin, 'hello', { model: 'quiet' });
      const streamed = data.slice(0, -1).map((part) => Chunk.parse(JSON.parse(part)).x_svc);
      const last = streamed.findLast((event) => event?.type === 'turn.end');
      return [completion.x_svc, events.at(-1), last].map((one) => one?.['usage_estimated']);
    };
    expect(await ends()).toEqual([undefined, undefined, undefined]);
    reply = () => stream(words('x'.repeat(300)), DONE);
    expect(await ends()).toEqual([true, true, true]);
  });

  it.each([10 ** 30, -1, 1e16])(
    'is counted by its length where the vendor names %d tokens',
    async (count) => {
      const model = fresh('boastful');
      await config(model);
      reply = () => stream(words('x'.repeat(300)), usage(count, count), DONE);
      await chat(admin, 'y', { model });
      const [step] = (await steps({ model })).records;
      expect(step).toMatchObject({ estimated: true, completionTokens: 100 });
    },
  );

  it('is listed with the reason of the vendor where it failed', async () => {
    await config('broken');
    reply = () => refuse(400, {}, '{"error":{"message":"no such thing"}}');
    await chatAnswer(admin, question('hello', { model: 'broken' }));
    const { records } = await steps({ model: 'broken' });
    expect(records).toEqual([
      expect.objectContaining({
        ended: 'FAILED',
        reason: 'HTTP 400: no such thing',
        promptTokens: 0,
        firstTokenMs: null,
      }),
    ]);
  });

  it('is one of several in a turn with tools', async () => {
    await config('working');
    reply = (sent) => (inTurn(sent) === 0 ? call(['getCurrentTenantInfo', {}]) : say('It is.'));
    const { completion } = await chat(admin, 'which tenant?', { model: 'working' });
    const { records } = await steps({ model: 'working' });
    expect(records.map(({ turnId, step }) => [turnId, step])).toEqual([
      [completion.id, 2],
      [completion.id, 1],
    ]);
  });

  it('is of the key and of the person behind it, and summed up by either', async () => {
    const made = Key.parse(
      await admin.data('/api/v3/auth/key/add', { keyName: fresh('key'), scopes: ['svc:chat'] }),
    );
    const program = { ...admin, headers: { authorization: `Bearer ${made.key}` } };
    await config('keyed');
    await chat(program, 'hello', { model: 'keyed', user: 'bea' });
    await chat(program, 'hello', { model: 'keyed', user: 'cem' });
    const [step] = (await steps({ model: 'keyed' })).records;
    expect(step).toMatchObject({ clientId: made.keyPrefix, endUser: 'cem' });
    const of = async (by: string, group: string) =>
      (await sums(by)).find((sum) => sum.group === group);
    const both = { requests: 2, promptTokens: 20, completionTokens: 10, failed: 0, unpriced: 2 };
    expect(await of('key', made.keyPrefix)).toMatchObject(both);
    expect(await of('model', 'vendor/keyed')).toMatchObject({ ...both, cost: null });
    expect(await of('endUser', 'bea')).toMatchObject({ requests: 1, promptTokens: 10 });
    expect((await of('person', 'admin'))?.['requests']).toBeGreaterThanOrEqual(2);
    expect(await sums('day')).toHaveLength(2);
  });

  it('is shown to those with the right only, within 92 days, page by page', async () => {
    const { session } = await worker(admin, ['svc-center-agentic:chat:list']);
    expect((await session.get(`${AGENTIC}/usage/list`)).status).toBe(403);
    expect((await session.get(`${AGENTIC}/usage/summary`)).status).toBe(403);
    const from = new Date(world.clock.now() - 93 * 86_400_000).toISOString();
    expect((await admin.get(`${AGENTIC}/usage/list`, { from })).status).toBe(400);
    const later = new Date(world.clock.now() + 1_000).toISOString();
    expect((await admin.get(`${AGENTIC}/usage/summary`, { from: later })).status).toBe(400);
    const { total } = await steps();
    expect(total).toBeGreaterThan(5);
    const to = new Date(world.clock.now() - 3_600_000).toISOString();
    expect((await steps({ to })).total).toBe(0);
  });
});
