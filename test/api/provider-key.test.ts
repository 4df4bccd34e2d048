import { beforeEach, describe, expect, it } from 'vitest';

import { refuse, say, startModel } from '../support/neighbours/model.ts';
import {
  addProvider,
  breakKey,
  change,
  changed,
  keptKey,
  setRow,
  startProviderWorld,
} from '../support/neighbours/providers.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const SECRET = 'sk-live-0123456789-secret';

const vendors = started(startProviderWorld);
const world = prepared(() => vendors.world);
const openai = prepared(() => vendors.openai);
const claude = prepared(() => vendors.claude);

beforeEach(() => vendors.answer(undefined));

describe('the key of a provider', () => {
  const withKey = async (code: string) => {
    const tenant = await world.tenant(code);
    const id = await addProvider(tenant, {
      name: 'ours',
      baseUrl: openai.baseUrl,
      model: 'm',
      apiKey: SECRET,
    });
    return { tenant, id };
  };

  it('stays when other things change, and goes when it is null', async () => {
    const { tenant, id } = await withKey('keeping');
    for (const more of [{ name: 'renamed' }, { apiKey: '' }, { baseUrl: `${openai.baseUrl}/` }]) {
      expect(await changed(tenant, { id, ...more })).toMatchObject({ hasApiKey: true });
    }
    await chat(tenant, 'hi');
    expect(openai.keys.at(-1)).toBe(`Bearer ${SECRET}`);
    expect(await changed(tenant, { id, apiKey: 'next' })).toMatchObject({ hasApiKey: true });
    await chat(tenant, 'hi');
    expect(openai.keys.at(-1)).toBe('Bearer next');
    expect(await changed(tenant, { id, apiKey: null })).toMatchObject({ hasApiKey: false });
    expect(await keptKey(world, tenant, id)).toBe('');
  });

  it('is forgotten when the address changes, unless a new one comes with it', async () => {
    const { tenant, id } = await withKey('moving');
    const elsewhere = `${openai.baseUrl}/evil`;
    expect(await changed(tenant, { id, baseUrl: elsewhere })).toMatchObject({ hasApiKey: false });
    await changed(tenant, { id, baseUrl: openai.baseUrl, apiKey: 'with-it' });
    await chat(tenant, 'hi');
    expect(openai.keys.at(-1)).toBe('Bearer with-it');
  });

  it('opens nothing in another row or tenant', async () => {
    const { tenant, id } = await withKey('stealing');
    const sealed = await keptKey(world, tenant, id);
    const copy = await addProvider(tenant, { name: 'copy', baseUrl: claude.baseUrl, model: 'c' });
    await setRow(world, tenant, copy, { apiKey: sealed });
    const before = claude.keys.length;
    const { status } = await chatAnswer(tenant, question('hi', { model: 'c' }));
    expect(status).toBe(404);
    expect((await chat(tenant, 'hi')).completion.model).toBe('m');
    expect(claude.keys).toHaveLength(before);
  });

  it('is in no answer and in no log, even when the vendor repeats it', async () => {
    const { tenant, id } = await withKey('secret');
    const echo = `{"error":{"message":"Incorrect API key provided: ${SECRET}"}}`;
    const answers: unknown[] = [];
    for (const reply of [
      ...[400, 401, 413, 422, 429, 500].map((status) => refuse(status, {}, echo)),
      refuse(200, {}, echo),
      refuse(200, {}, `{${SECRET}`),
    ]) {
      vendors.answer(reply);
      answers.push(await chatAnswer(tenant, question('hi')));
    }
    answers.push(await tenant.get(`${AGENTIC}/provider/list`));
    answers.push(await tenant.get(`${AGENTIC}/model/list`));
    answers.push(await tenant.get(`${AGENTIC}/models`).catch(() => null));
    answers.push(await change(tenant, { id, apiKey: SECRET }));
    answers.push(await tenant.post(`${AGENTIC}/provider/config/check`, { id }));
    answers.push(await change(tenant, { id, apiKey: `${SECRET} with a space` }));
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    // Administrators read the vendor's reason, without the key.
    expect(JSON.stringify(answers)).toContain('HTTP 401: Incorrect API key provided: ***');
    expect(vendors.logged()).toContain('a chat turn failed');
    for (const status of [400, 413, 422, 429, 500])
      expect(vendors.logged()).toMatch(
        new RegExp(`HTTP ${status}: .{0,30}Incorrect API key provided: \\*\\*\\*`),
      );
    expect(vendors.logged()).not.toContain(SECRET);
  });
});

describe('the check of a provider', () => {
  const check = async (session: Session, id: string) =>
    session.data(`${AGENTIC}/provider/config/check`, { id });

  it('lists what the vendor offers with the stored key, in either dialect', async () => {
    const tenant = await world.tenant('checking');
    const ours = { apiKey: SECRET };
    const one = await addProvider(tenant, { ...ours, name: 'one', baseUrl: openai.baseUrl });
    const two = await addProvider(tenant, {
      ...ours,
      name: 'two',
      providerType: 1,
      baseUrl: claude.baseUrl,
    });
    expect(await check(tenant, one)).toEqual({
      ok: true,
      models: ['gpt-a', 'gpt-b'],
      reason: null,
      tries: [],
    });
    expect(await check(tenant, two)).toEqual({
      ok: true,
      models: ['claude-a', 'claude-b'],
      reason: null,
      tries: [],
    });
    expect([openai.keys.at(-1), claude.keys.at(-1)]).toEqual([
      `Bearer ${SECRET}`,
      `Bearer ${SECRET}`,
    ]);
  });

  it('says why it failed', async () => {
    const tenant = await world.tenant('failing');
    const gone = await startModel(() => say(''));
    await gone.stop();
    const id = await addProvider(tenant, { name: 'one', baseUrl: openai.baseUrl, apiKey: 'k' });
    await breakKey(world, tenant, id);
    expect(await check(tenant, id)).toEqual({
      ok: false,
      models: [],
      reason: 'The stored key of the model provider cannot be opened',
      tries: [],
    });
    const inside = await addProvider(tenant, { name: 'two', baseUrl: openai.baseUrl });
    // An address that was allowed when it was added, or a name that leads elsewhere by now.
    await setRow(world, tenant, inside, { baseUrl: 'http://127.0.0.1:1' });
    expect(await check(tenant, inside)).toMatchObject({
      ok: false,
      reason: 'The address of the model provider is not allowed',
    });
    expect((await tenant.post(`${AGENTIC}/provider/config/check`, { id: '999999' })).status).toBe(
      404,
    );
  });
});
