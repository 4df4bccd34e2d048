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
