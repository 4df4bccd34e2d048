import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { started } from '../support/world/prepared.ts';

const PAGE = 'https://app.example';
const SET = '/api/v3/agentic/origin/set';
const CHAT = '/api/v3/agentic/v1/chat/completions';

let session: Session;
let key: string;
const chatWorld = started(startChatWorld);
beforeAll(async () => {
  chatWorld.answer(() => say('All is well.'));
  session = chatWorld.world.admin;
  key = z
    .object({ key: z.string() })
    .parse(
      await session.data('/api/v3/auth/key/add', { keyName: 'a page', scopes: ['svc:chat'] }),
    ).key;
  await session.data(SET, { origins: [PAGE] });
});

const preflight = (path: string, origin: string) =>
  fetch(`${session.base}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'authorization, content-type, x-stainless-lang, x-auth-token, cookie',
    },
  });
const ask = (origin: string, headers: Record<string, string>) =>
  fetch(`${session.base}${CHAT}`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question('hello')),
  });
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

/**
 * Sends as a browser does (Fetch standard, CORS protocol): asks first, and sends what was allowed alone. Adds method and
 * path of each request to `asked`.
 */
const asBrowser =
  (origin: string, asked: Set<string>): typeof fetch =>
  async (url, init = {}) => {
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const names = [...headers.keys()].toSorted();
    const address = String(url instanceof Request ? url.url : url);
    asked.add(`${method} ${new URL(address).pathname.replace('/api/v3/agentic/v1', '')}`);
    const answer = await fetch(address, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': names.join(','),
      },
    });
    const listed = (name: string) => answer.headers.get(`access-control-allow-${name}`) ?? '';
    expect(allowed(answer), `${method} ${address}`).toBe(origin);
    expect(listed('methods').split(', ')).toContain(method);
    expect(listed('headers').split(', ')).toEqual(names);
    headers.set('origin', origin);
    const response = await fetch(address, { ...init, headers });
    expect(allowed(response), `${method} ${address}`).toBe(origin);
    return response;
  };

describe('a page of an origin that the tenant named', () => {
  it.each([CHAT, '/api/v3/agentic/models', '/api/v3/agentic/attachment/upload'])(
    'may ask for %s with a bearer token and the headers of the clients',
    async (path) => {
      const response = await preflight(path, PAGE);
      expect(response.status).toBe(204);
      expect(allowed(response)).toBe(PAGE);
      expect(response.headers.get('access-control-allow-headers')).toBe(
        'authorization, content-type, x-stainless-lang',
      );
      expect(response.headers.get('access-control-allow-credentials')).toBe(null);
      expect(response.headers.get('vary')?.toLowerCase()).toContain('origin');
    },
  );

  it('reads, cancels and deletes what is stored with the clients of OpenAI, as a browser lets it', async () => {
    const asked = new Set<string>();
    const apiKey = key;
    const baseURL = `${session.base}/api/v3/agentic/v1`;
    const fetchHere = asBrowser(PAGE, asked);
    const client = new OpenAI({
      apiKey,
      baseURL,
      organization: 'org',
      project: 'plant',
      fetch: fetchHere,
    });
    const made = await client.responses.create({ model: 'fake-1', input: 'which?' });
    expect((await client.responses.retrieve(made.id)).id).toBe(made.id);
    expect((await client.responses.inputItems.list(made.id)).data).toHaveLength(1);
    await expect(client.responses.cancel(made.id)).rejects.toMatchObject({ status: 400 });
    await client.responses.delete(made.id);
    const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'x' }] });
    await client.conversations.update(id, { metadata: { shift: 'night' } });
    const { data } = await client.conversations.items.list(id);
    const of = { conversation_id: id };
    await client.conversations.items.retrieve(data[0]?.id ?? '', of);
    await client.conversations.delete(id);
    await client.chat.completions
      .stream({ model: 'fake-1', messages: [{ role: 'user', content: 'hello' }] })
      .finalContent();
    const model = createOpenAI({ baseURL, apiKey, fetch: fetchHere })('fake-1');
    await generateText({ model, prompt: 'hello' });
    expect([...asked].map((one) => one.replace(/(resp|conv|item)_\w+/, '$1_…')).toSorted()).toEqual(
      [
        'DELETE /conversations/conv_…',
        'DELETE /responses/resp_…',
        'GET /conversations/conv_…/items',
        'GET /conversations/conv_…/items/item_1',
        'GET /responses/resp_…',
        'GET /responses/resp_…/input_items',
        'POST /chat/completions',
        'POST /conversations',
        'POST /conversations/conv_…',
        'POST /responses',
        'POST /responses/resp_…/cancel',
      ],
    );
  });

  it('chats with a key, and with no cookie or login header', async () => {
    const response = await ask(PAGE, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(200);
    expect(allowed(response)).toBe(PAGE);
    for (const headers of [session.headers, { cookie: 'svc_session=x' }, {}]) {
      const refused = await ask(PAGE, headers);
      expect(refused.status).toBe(401);
      expect(allowed(refused)).toBe(PAGE);
    }
  });

  it('may call nothing else', async () => {
    expect(allowed(await preflight('/api/v3/manager/device/list', PAGE))).toBe(null);
    expect(allowed(await preflight('/api/v3/agentic/action/confirm', PAGE))).toBe(null);
  });
});

describe('a page of another origin', () => {
  it.each(['https://evil.example', 'https://app.example:8443', 'http://app.example', 'null'])(
    '%s is shown nothing',
    async (origin) => {
      expect(allowed(await preflight(CHAT, origin))).toBe(null);
      expect(allowed(await ask(origin, { authorization: `Bearer ${key}` }))).toBe(null);
    },
  );

  it('that another tenant named may not chat with this one', async () => {
    const other = await chatWorld.world.tenant('named-elsewhere');
    await other.data(SET, { origins: ['https://other.example'] });
    const response = await ask('https://other.example', { authorization: `Bearer ${key}` });
    expect(response.status).toBe(403);
  });
});

it.each(['http://app.example', 'https://app.example/', 'https://app.example/x', '*', 'null'])(
  '%s is no origin that can be named',
  async (origin) => {
    expect((await session.post(SET, { origins: [origin] })).status).toBe(400);
  },
);
