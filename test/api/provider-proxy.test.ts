import { beforeEach, describe, expect, it } from 'vitest';

import { startCanary } from '../support/neighbours/loopback.ts';
import { refuse } from '../support/neighbours/model.ts';
import {
  addProvider,
  change,
  changed,
  keptKey,
  keptLogin,
  listed,
  setRow,
  startProviderWorld,
} from '../support/neighbours/providers.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const SECRET = 'steam-kettle-41';

const vendors = started(startProviderWorld);
const canary = started(startCanary);
const world = prepared(() => vendors.world);
const openai = prepared(() => vendors.openai);
const claude = prepared(() => vendors.claude);
const proxy = prepared(() => vendors.proxy);

beforeEach(() => {
  vendors.answer(undefined);
  proxy.answer(null);
  proxy.demand(`plant:${SECRET}`);
});

describe('the proxy of a provider', () => {
  const shown = (): string => `http://${proxy.hostPort}`;
  const given = (secret = SECRET): string => `http://plant:${secret}@${proxy.hostPort}`;
  const withProxy = async (code: string, more: object = {}) => {
    const tenant = await world.tenant(code);
    const id = await addProvider(tenant, {
      name: 'ours',
      baseUrl: openai.baseUrl,
      model: 'm',
      apiKey: 'key',
      proxy: given(),
      ...more,
    });
    return { tenant, id };
  };

  it.each([
    ['OPENAI_COMPATIBLE', () => openai],
    ['ANTHROPIC', () => claude],
  ] as const)('is on the way of each request to %s, and of its check', async (type, vendor) => {
    const { baseUrl } = vendor();
    const { tenant, id } = await withProxy(`way-${type.toLowerCase()}`, {
      providerType: type,
      baseUrl,
    });
    const before = proxy.asked.length;
    await chat(tenant, 'hi');
    const checked = await tenant.data(`${AGENTIC}/provider/config/check`, { id });
    expect(checked).toMatchObject({ ok: true, reason: null });
    const asked = proxy.asked.slice(before);
    // The second request may take the connection of the first.
    expect(asked.length).toBeGreaterThan(0);
    for (const { authority } of asked) expect(authority).toBe(new URL(baseUrl).host);
    for (const headers of vendor().headers.slice(-2)) {
      expect(headers).toMatchObject({ authorization: 'Bearer key' });
      expect(headers).not.toHaveProperty('proxy-authorization');
    }
  });

  it('is shown without its login, which is in no answer, no log and not in the change log', async () => {
    const { tenant, id } = await withProxy('hidden');
    const echo = `{"error":{"message":"Wrong login: plant:${SECRET}"}}`;
    vendors.answer(refuse(400, {}, echo));
    const answers: unknown[] = [await chatAnswer(tenant, question('hi'))];
    vendors.answer(undefined);
    proxy.demand('plant:another');
    answers.push(await chatAnswer(tenant, question('hi')));
    answers.push(await tenant.data(`${AGENTIC}/provider/config/check`, { id }));
    answers.push(await change(tenant, { id, proxy: given(`${SECRET}-next`) }));
    answers.push(await change(tenant, { id, proxy: `http://plant:${SECRET}@127.0.0.1:1/path` }));
    const log = await tenant.data('/api/v3/data/change/list', {});
    expect(JSON.stringify(log)).toContain('"proxy_login":["******","******"]');
    answers.push(log);
    expect(await listed(tenant)).toMatchObject([{ proxy: shown() }]);
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(JSON.stringify(answers)).not.toContain('enc:v1:');
    expect(vendors.logged()).not.toContain(SECRET);
    expect(vendors.logged()).not.toContain(Buffer.from(`plant:${SECRET}`).toString('base64'));
  });

  it('keeps its login while its address is the same, and goes with null', async () => {
    const { tenant, id } = await withProxy('staying');
    expect(await changed(tenant, { id, name: 'renamed' })).toMatchObject({ proxy: shown() });
    expect(await changed(tenant, { id, proxy: shown() })).toMatchObject({ proxy: shown() });
    await chat(tenant, 'hi');
    const elsewhere = shown().replace('127.0.0.1', 'localhost');
    expect((await change(tenant, { id, proxy: elsewhere })).status).toBe(422);
    expect(await changed(tenant, { id, proxy: 'https://proxy.example' })).toMatchObject({
      proxy: 'https://proxy.example',
    });
    expect(await keptLogin(world, tenant, id)).toBe('');
    expect(await changed(tenant, { id, proxy: null, apiKey: 'key' })).toMatchObject({ proxy: '' });
    const before = proxy.asked.length;
    await chat(tenant, 'hi');
    expect(proxy.asked).toHaveLength(before);
  });

  it('gets no key that was stored before it, where it could read it', async () => {
    const { tenant, id } = await withProxy('read', { proxy: null });
    const moved = { id, proxy: 'http://proxy.example' };
    expect(await changed(tenant, moved)).toMatchObject({ hasApiKey: false });
    expect(await keptKey(world, tenant, id)).toBe('');
    const sealed = { id, baseUrl: 'https://models.example', apiKey: 'key', proxy: null };
    expect(await changed(tenant, sealed)).toMatchObject({ hasApiKey: true, proxy: '' });
    // Over TLS it cannot.
    expect(await changed(tenant, moved)).toMatchObject({ hasApiKey: true });
  });

  it.each([
    [407, 'The proxy answered 407: it refused the login', 503],
    [403, 'The proxy answered 403: it does not allow the target', 503],
    ['nonsense', 'The proxy does not answer', 503],
  ] as const)('that answers %s is the reason of an answer', async (answer, message, status) => {
    proxy.answer(answer);
    const { tenant, id } = await withProxy(`fails-${answer}`, { timeouts: { connectMs: 5_000 } });
    const before = proxy.asked.length;
    const failed = await chatAnswer(tenant, question('hi'));
    expect(failed).toMatchObject({ status, body: { error: { message } } });
    // Another try would be refused likewise.
    if (typeof answer === 'number') expect(proxy.asked).toHaveLength(before + 1);
    const checked = await tenant.data(`${AGENTIC}/provider/config/check`, { id });
    expect(checked).toMatchObject({ ok: false, reason: message });
  });

  it('that is silent is given up at the limit for a connection, which the answer names', async () => {
    proxy.answer('nothing');
    const { tenant } = await withProxy('silent', { timeouts: { connectMs: 300 } });
    expect(await chatAnswer(tenant, question('hi'))).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('timeouts.connectMs') } },
    });
  });

  it('leads to no address that is not public and was not opened', async () => {
    const { tenant, id } = await withProxy('inner');
    const inner = `http://127.0.0.1:${canary.port}/v1`;
    expect((await change(tenant, { id, baseUrl: inner })).status).toBe(422);
    for (const address of ['http://10.0.0.1:3128', `http://localhost:${canary.port}`])
      expect((await change(tenant, { id, proxy: address })).status).toBe(422);
    await setRow(world, tenant, id, { baseUrl: inner });
    const before = proxy.asked.length;
    expect(await chatAnswer(tenant, question('hi'))).toMatchObject({ status: 503 });
    expect([proxy.asked.length, canary.connections()]).toEqual([before, 0]);
  });

  it('is refused where it is no address of a proxy', async () => {
    const { tenant, id } = await withProxy('refused');
    for (const wrong of [
      'proxy:3128',
      'socks5://proxy:1080',
      'http://proxy:3128/path',
      'http://proxy:3128/?a=b',
      'http://:secret@proxy:3128',
      'http://a%3Ab:secret@proxy:3128',
      'http://a%0Ab:secret@proxy:3128',
      'http://%ff:secret@proxy:3128',
      '',
      7,
    ])
      expect((await change(tenant, { id, proxy: wrong })).status, String(wrong)).toBe(400);
    expect(await listed(tenant)).toMatchObject([{ proxy: shown() }]);
  });

  it('has a login that opens in its row alone', async () => {
    const { tenant, id } = await withProxy('copied');
    const copy = { name: 'copy', baseUrl: claude.baseUrl, model: 'c', proxy: shown() };
    const other = await addProvider(tenant, copy);
    await setRow(world, tenant, other, { proxyLogin: await keptLogin(world, tenant, id) });
    const before = proxy.asked.length;
    expect((await chatAnswer(tenant, question('hi', { model: 'c' }))).status).toBe(404);
    expect(proxy.asked).toHaveLength(before);
  });
});
