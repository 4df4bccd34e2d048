import type { Socket } from 'node:net';

import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import * as anthropic from '../support/neighbours/anthropic-model.ts';
import {
  call,
  type FakeModel,
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
import { inTurn } from '../support/people/chat-world.ts';
import { chat, chatAnswer, ErrorBody, question } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { TestClock } from '../support/world/clock.ts';
import { prepared, started } from '../support/world/prepared.ts';

/** Limits of vendors, and those of a turn (docs/specification/assistant.md, Models). */
let reply: (sent: Sent) => Reply = () => say('Well.');
const sockets = new Set<Socket>();
const model = started((): Promise<FakeModel> =>
  startModel((sent) => (res) => {
    if (res.socket) sockets.add(res.socket);
    return reply(sent)(res);
  }),
);
let claudes: (sent: anthropic.AnthropicSent) => Reply = () => anthropic.say('Well.');
const claude = started(() => anthropic.startAnthropicModel((sent) => claudes(sent)));
const clock = new TestClock();
const world = started(() => {
  const hosts = [model, claude].map(({ baseUrl }) => new URL(baseUrl).host);
  return startWorld({ clock, environment: { SVC_EGRESS_ALLOW: hosts.join(',') } });
});
const vendor = prepared(async () => ({
  id: await addProvider(world.admin, { name: 'vendor', baseUrl: model.baseUrl, model: 'm' }),
}));
const other = prepared(
  async () => (await worker(world.admin, ['svc-center-agentic:chat:list'])).session,
);
beforeEach(() => {
  model.requests.length = 0;
  claude.requests.length = 0;
});

const tooLong = refuse(
  400,
  {},
  '{"error":{"message":"This model\'s maximum context length is 8192 tokens.","code":"context_length_exceeded"}}',
);
const Learned = z.object({ id: z.string(), learned: z.record(z.string(), z.unknown()) });
const said = (sent: Sent | undefined) =>
  sent?.messages.slice(1).map(({ content }) => content) ?? [];
const errorOf = (body: unknown) => ErrorBody.parse(body).error;

const talk = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    { role: 'user', content: `question ${at}` },
    { role: 'assistant', content: `answer ${at}` },
  ]).flat();

/** A model of the vendor of which nothing is learned yet. */
let models = 0;
async function fresh(): Promise<string> {
  models += 1;
  const name = `m${models}`;
  await world.admin.data('/api/v3/agentic/model/config/add', {
    model: name,
    providerId: vendor.id,
  });
  return name;
}
const after = (turns: number, name: string) =>
  chat(other, 'now', {
    model: name,
    messages: [...talk(turns), { role: 'user', content: 'now' }],
  });

describe('a conversation that is longer than the context of its model', () => {
  it('is asked with half of its turns, then with the question alone, which the answer says', async () => {
    reply = (sent) => (sent.messages.length > 6 ? tooLong : say('Well.'));
    const { completion } = await after(4, await fresh());
    expect(completion.x_svc.warnings).toEqual(['earlier_messages_ignored']);
    expect(model.requests.map((sent) => said(sent).length)).toEqual([9, 5]);
    expect(said(model.requests[1])[0]).toBe('question 2');
    reply = (sent) => (sent.messages.length > 2 ? tooLong : say('Well.'));
    const ended = await after(4, await fresh());
    expect(ended.completion.x_svc.warnings).toEqual(['earlier_messages_ignored']);
    expect(said(model.requests.at(-1))).toEqual(['now']);
  });

  it('is asked with as much of it as fits from its next question on', async () => {
    const name = await fresh();
    reply = (sent) => (sent.messages.length > 6 ? tooLong : say('Well.'));
    await after(4, name);
    expect(model.requests).toHaveLength(2);
    const { completion } = await after(5, name);
    expect(completion.x_svc.warnings).toEqual(['earlier_messages_ignored']);
    expect(model.requests).toHaveLength(3);
    const last = ['question 3', 'answer 3', 'question 4', 'answer 4'];
    expect(said(model.requests[2])).toEqual([...last, 'now']);
    // What fits is asked as it is.
    expect((await after(1, name)).completion.x_svc.warnings).toEqual([]);
    const providers = await world.admin.data('/api/v3/agentic/provider/list');
    const learned = z
      .array(Learned)
      .parse(providers)
      .find(({ id }) => id === vendor.id)?.learned;
    expect(learned?.[name]).toEqual({ contextTokens: expect.any(Number) });
  });

  it('stays short in the rounds of its turn', async () => {
    reply = (sent) => {
      if (sent.messages.length - inTurn(sent) > 4) return tooLong;
      return inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('Well.');
    };
    await after(2, await fresh());
    expect(model.requests.map((sent) => sent.messages.length)).toEqual([6, 4, 6]);
  });

  it('is a 400 with the code of OpenAI where the question alone is too long, for everybody', async () => {
    reply = () => tooLong;
    const { status, body } = await chatAnswer(other, question('now'));
    expect([status, model.requests.length]).toEqual([400, 1]);
    expect(errorOf(body)).toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringContaining("longer than the model's context length"),
    });
  });
});

describe('a conversation that is too long, as its vendor says under 200', () => {
  const openAis = { error: { message: "This model's maximum context length is 8192.", code: 400 } };
  const anthropics = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8 maximum' },
  };
  const shortened = ['earlier_messages_ignored'];
  let at = 0;
  it.each([
    ['an event', (body: object) => stream(frame(body))],
    ['JSON', (body: object) => refuse(200, {}, JSON.stringify(body))],
  ])('is shortened too: %s', async (_title, under200) => {
    const short = (count: number, most: number, body: object, well: Reply): Reply =>
      count > most ? under200(body) : well;
    reply = ({ messages }) => short(messages.length, 6, openAis, say('Well.'));
    claudes = ({ messages }) => short(messages.length, 5, anthropics, anthropic.say('Well.'));
    expect((await after(4, await fresh())).completion.x_svc.warnings).toEqual(shortened);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([10, 6]);
    at += 1;
    const name = `claude-${at}`;
    const providerType = 'ANTHROPIC';
    await addProvider(world.admin, { name, providerType, baseUrl: claude.baseUrl, model: name });
    expect((await after(4, name)).completion.x_svc.warnings).toEqual(shortened);
    expect(claude.requests.map(({ messages }) => messages.length)).toEqual([9, 5]);
  });
});

describe('a refusal that its vendor explains', () => {
  it.each([
    [402, 'Insufficient Balance', 503, 'no credit left'],
    [429, '{"error":{"code":"insufficient_quota","message":"quota"}}', 503, 'no credit left'],
    [500, 'failed to parse grammar', 422, 'failed to parse its grammar'],
  ])('is said to everybody: %i %s', async (theirs, text, ours, words) => {
    reply = () => refuse(theirs, {}, text);
    const { status, body } = await chatAnswer(other, question('now'));
    expect([status, model.requests.length]).toEqual([ours, 1]);
    expect(errorOf(body).message).toContain(words);
  });

  it('has the wait that the vendor asks for, also of a 503', async () => {
    reply = () => refuse(503, { 'retry-after': '17' });
    const { status, body, headers } = await chatAnswer(other, question('now'));
    expect([status, headers.get('retry-after'), errorOf(body).retry_after]).toEqual([
      503,
      '17',
      17,
    ]);
  });
});

describe('the time of an answer', () => {
  /** Says nothing for so long. */
  const slow =
    (seconds: number): Reply =>
    async (res) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        await clock.advance(10_000);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      if (!res.destroyed) await say('At last.')(res);
    };

  it('names the limit that was met, and the setting that changes it', async () => {
    reply = () => slow(70);
    const { status, body } = await chatAnswer(other, question('now'));
    expect(status).toBe(503);
    expect(errorOf(body).message).toBe(
      'The model provider does not answer: nothing came within 60 s (timeouts.idleMs of the provider)',
    );
  });

  it('is longer for a turn where its provider has longer', async () => {
    await changed(world.admin, { id: vendor.id, timeouts: { idleMs: 300_000 } });
    reply = () => slow(200);
    expect((await chat(other, 'now')).text).toContain('At last.');
    await changed(world.admin, { id: vendor.id, timeouts: {} });
  });
});

it('keeps its connection to a vendor for the next request', async () => {
  reply = () => say('Well.');
  await chat(other, 'one');
  sockets.clear();
  for (const text of ['two', 'three', 'four']) await chat(other, text);
  expect(sockets.size).toBe(1);
});
