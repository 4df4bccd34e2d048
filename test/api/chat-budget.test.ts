import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { reserve } from '../../src/agentic/accounting/reserve.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { call, type Reply, say, type Sent, startModel } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { worker } from '../support/people/accounts.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { chat, chatAnswer, ErrorBody, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { type OtherGateway, otherGateway } from '../support/world/other-node.ts';
import { started } from '../support/world/prepared.ts';

const HOUR = 3_600_000;
const AGENTIC = '/api/v3/agentic';
const Budgets = z.array(
  z.looseObject({
    id: z.string(),
    uses: z.array(z.object({ subject: z.string(), used: z.string(), reserved: z.string() })),
  }),
);

let world: World;
let admin: Session;
let second: OtherGateway;
let reply: (sent: Sent) => Reply;
const vendor = started(() => startModel((sent) => reply(sent)));
beforeAll(async () => {
  const { host } = new URL(vendor.baseUrl);
  world = await startWorld({ environment: { SVC_EGRESS_ALLOW: host } });
  // No period ends in the middle of a test.
  if (world.clock.now() % HOUR > HOUR - 300_000) world.clock.shift(300_000);
  ({ admin } = world);
  second = await otherGateway(world.app);
  const providerId = await addProvider(admin, { name: 'vendor', baseUrl: vendor.baseUrl });
  const add = (model: string, more: object) =>
    admin.data(`${AGENTIC}/model/config/add`, { model, providerId, maxTokens: 100, ...more });
  await add('small', { toolCall: false });
  await add('tools', {});
  const price = { prompt: '10', completion: '10', currency: 'EUR' };
  await add('priced', { toolCall: false, price });
});
afterAll(async () => {
  second.close();
  await world.stop();
});
beforeEach(async () => {
  reply = () => say('Well.');
  for (const { id } of await budgets()) await admin.data(`${AGENTIC}/usage/budget/delete`, { id });
});

const set = (body: object) =>
  admin.post(`${AGENTIC}/usage/budget/add`, { unit: 'tokens', period: 'day', ...body });
const budgets = async () => Budgets.parse(await admin.data(`${AGENTIC}/usage/budget/list`));
const usesOf = async () => (await budgets())[0]?.uses ?? [];
const ask = (session: Session, more: object = {}) =>
  chatAnswer(session, question('hello', { model: 'small', ...more }));
const wordsOf = (body: unknown): string => ErrorBody.parse(body).error.message;

describe('a budget of the chat', () => {
  it('is settled with what a turn used, and refuses the next with the time when it is free', async () => {
    const hourly = { kind: 'tenant', period: 'hour' };
    await set({ ...hourly, amount: '200' });
    expect((await ask(admin)).status).toBe(200);
    expect(await usesOf()).toEqual([{ subject: '', used: '15', reserved: '0' }]);
    await set({ ...hourly, amount: '15' });
    const { status, body, headers } = await ask(admin);
    expect([status, ErrorBody.parse(body).error]).toEqual([
      429,
      {
        type: 'rate_limit_error',
        code: 'insufficient_quota',
        param: null,
        retry_after: expect.any(Number),
        message: expect.stringMatching(
          /^The budget of this tenant is used up: 15 used of 15 tokens in this hour\. It is free again at \S+; an administrator can raise it\.$/,
        ),
      },
    ]);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect(headers.get('x-should-retry')).toBe('false');
    const streamed = await ask(admin, { stream: true }).catch(() => null);
    expect(streamed?.status).toBe(429);
    expect(vendor.requests.at(-1)).toMatchObject({ max_tokens: 100 });
    world.clock.shift(HOUR);
    await set({ ...hourly, amount: '200' });
    expect((await ask(admin)).status).toBe(200);
    expect(await usesOf()).toEqual([{ subject: '', used: '15', reserved: '0' }]);
  });

  it('is never passed by turns at the same time in two processes', async () => {
    await set({ kind: 'tenant', amount: '700' });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    reply = () => async (res) => {
      await gate;
      await say('Well.')(res);
    };
    const before = vendor.requests.length;
    let refused = 0;
    const turns = Array.from({ length: 8 }, async (_, at) => {
      const session = at % 2 === 0 ? admin : { ...admin, base: second.base };
      const answer = await ask(session);
      if (answer.status === 429) refused += 1;
      return answer;
    });
    const asked = () => vendor.requests.length - before;
    await eventually(
      async () => asked() + refused,
      (count) => count === 8,
    );
    const [use] = await usesOf();
    expect(asked()).toBeGreaterThan(1);
    expect(refused).toBeGreaterThan(0);
    expect(Number(use?.used) + Number(use?.reserved)).toBeLessThanOrEqual(700);
    expect(Number(use?.reserved)).toBeGreaterThan(100 * asked());
    open();
    const answers = await Promise.all(turns);
    const late = answers.find(({ status }) => status === 429);
    expect(wordsOf(late?.body)).toMatch(/0 used and \d+ held back of 700 tokens/);
    expect(await usesOf()).toEqual([{ subject: '', used: String(15 * asked()), reserved: '0' }]);
  });

  it('is free of what a process held back that ended in the middle of a turn, after ten minutes', async () => {
    await set({ kind: 'tenant', amount: '300' });
    const { tenantId } = admin;
    const spender = { tenantId, principalId: '1', via: 'login', timezone: 'UTC' } as const;
    await inTenant(world.app.db, tenantId, (q) =>
      reserve(world.app, q, spender, '', { tokens: 290, costs: {} }),
    );
    expect(await usesOf()).toEqual([{ subject: '', used: '0', reserved: '290' }]);
    expect((await ask(admin)).status).toBe(429);
    world.clock.shift(10 * 60_000);
    expect(await usesOf()).toEqual([{ subject: '', used: '0', reserved: '0' }]);
    expect((await ask(admin)).status).toBe(200);
    expect(await usesOf()).toEqual([{ subject: '', used: '15', reserved: '0' }]);
  });

  it('holds back more before each round with tools', async () => {
    await set({ kind: 'tenant', amount: '100000' });
    const reserved: number[] = [];
    reply = (sent) => async (res) => {
      reserved.push(Number((await usesOf())[0]?.reserved));
      await (inTurn(sent) < 2 ? call(['getCurrentTenantInfo', {}]) : say('Well.'))(res);
    };
    await chat(admin, 'hello', { model: 'tools' });
    expect(reserved).toHaveLength(2);
    expect(reserved[1]).toBeGreaterThan((reserved[0] ?? 0) * 1.5);
    expect(await usesOf()).toEqual([{ subject: '', used: '30', reserved: '0' }]);
  });

  it('in money counts by the price, and refuses a model without one', async () => {
    await set({ kind: 'tenant', unit: 'cost', currency: 'EUR', amount: '0.01' });
    expect((await ask(admin, { model: 'priced' })).status).toBe(200);
    expect(await usesOf()).toEqual([{ subject: '', used: '0.00015', reserved: '0' }]);
    const { status, body } = await ask(admin);
    expect([status, wordsOf(body)]).toEqual([
      422,
      'A budget in money applies, and the model has no price in its currency: an administrator adds it to the model',
    ]);
  });

  it('is of each person by itself, unless a person has another', async () => {
    const { session, principalId } = await worker(admin, ['svc-center-agentic:chat:list']);
    await set({ kind: 'person', amount: '10' });
    await set({ kind: 'person', subject: principalId, amount: '1000' });
    expect((await ask(session)).status).toBe(200);
    const { status, body } = await ask(admin);
    expect([status, wordsOf(body)]).toEqual([
      429,
      expect.stringContaining('The budget of this person is used up: 0 used of 10 tokens'),
    ]);
  });

  it('is of each key, and of each of the people behind it', async () => {
    const { key } = z
      .looseObject({ key: z.string() })
      .parse(
        await admin.data('/api/v3/auth/key/add', { keyName: fresh('key'), scopes: ['svc:chat'] }),
      );
    const program = { ...admin, headers: { authorization: `Bearer ${key}` } };
    await set({ kind: 'end_user', amount: '200' });
    await set({ kind: 'key', amount: '100000', period: 'month' });
    expect((await ask(program, { user: 'anna' })).status).toBe(200);
    await set({ kind: 'end_user', amount: '15' });
    const { status, body } = await ask(program, { user: 'anna' });
    expect([status, wordsOf(body)]).toEqual([
      429,
      expect.stringContaining('The budget of this user of the key is used up: 15 used of 15'),
    ]);
    await set({ kind: 'end_user', amount: '200' });
    expect((await ask(program, { user: 'bea' })).status).toBe(200);
    const all = await budgets();
    expect(all.map(({ uses }) => uses.map(({ used }) => used))).toEqual([['15', '15'], ['30']]);
  });

  it.each([
    [{ kind: 'tenant', amount: '0' }],
    [{ kind: 'tenant', amount: '-1' }],
    [{ kind: 'tenant', amount: '1e9' }],
    [{ kind: 'tenant', amount: '5', subject: 'x' }],
    [{ kind: 'tenant', amount: '5', unit: 'cost' }],
    [{ kind: 'tenant', amount: '5', currency: 'EUR' }],
    [{ kind: 'galaxy', amount: '5' }],
    [{ kind: 'tenant', amount: '5', period: 'year' }],
  ])('is none %j', async (body) => expect((await set(body)).status).toBe(400));

  it('is set by those with the right only', async () => {
    const { session } = await worker(admin, ['svc-center-agentic:usage:list']);
    const body = { kind: 'tenant', unit: 'tokens', period: 'day', amount: '5' };
    expect((await session.post(`${AGENTIC}/usage/budget/add`, body)).status).toBe(403);
    expect((await session.get(`${AGENTIC}/usage/budget/list`)).status).toBe(200);
  });
});
