import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { defineTool, READS } from '../../tools/shape/define.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

const ALL = 'svc:read svc:read-device svc:propose';

let token: string;
let ours: Site;
let theirs: Site;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: ALL });
  ours = await onboard(world.admin, 'ours');
  theirs = await onboard(await world.tenant('other'), 'theirs');
});

const JSON_RPC = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const send = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${world.base}/mcp`, {
    method: 'POST',
    headers: { ...JSON_RPC, authorization: `Bearer ${token}`, ...headers },
    body,
  });

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

async function connected<T>(bearer: string, work: (client: McpClient) => Promise<T>): Promise<T> {
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no such client');
  const client = await connect(world.base, bearer);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe('the protected-resource metadata', () => {
  const paths = [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
  ];

  it.each(paths)('is at %s, readable by web pages', async (path) => {
    const response = await fetch(`${world.base}${path}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: `${world.base}/mcp`,
      authorization_servers: [world.base],
      bearer_methods_supported: ['header'],
      scopes_supported: ['svc:read', 'svc:read-device', 'svc:propose'],
      resource_name: 'Device Data Platform',
    });
  });

  it('leads to an authorization server that knows itself by that name', async () => {
    const response = await fetch(`${world.base}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toMatchObject({ issuer: world.base });
  });
});

describe('401', () => {
  const unauthorized = (headers: Record<string, string>) =>
    fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: { ...JSON_RPC, ...headers },
      body: LIST,
    });

  it('without a token names no error, the scope to ask for, and metadata that answers', async () => {
    const response = await unauthorized({});
    expect(response.status).toBe(401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(
      /^Bearer resource_metadata="[^"]+", scope="svc:read svc:read-device svc:propose"$/,
    );
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect((await fetch(url)).status).toBe(200);
  });

  it.each([
    ['an unknown token', 'Bearer 0123456789abcdef0123456789abcdef'],
    ['another scheme', 'Basic YWRtaW46YWRtaW4='],
    ['an empty token', 'Bearer '],
    ['two tokens', 'Bearer abc def'],
    ['an endless token', `Bearer ${'a'.repeat(6000)}`],
  ])('for %s says the token is invalid', async (_what, authorization) => {
    const response = await unauthorized({ authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /);
  });

  it('for a good token in the query, where none is accepted', async () => {
    const response = await fetch(`${world.base}/mcp?access_token=${token}`, {
      method: 'POST',
      headers: JSON_RPC,
      body: LIST,
    });
    expect(response.status).toBe(401);
  });

  it('for the headers of an interactive login, which are not for programs', async () => {
    expect((await unauthorized(world.admin.headers)).status).toBe(401);
  });

  it('once the token has expired', async () => {
    const short = await bearerFor(world.admin, { scope: 'svc:read' });
    expect((await send(LIST, { authorization: `Bearer ${short}` })).status).toBe(200);
    world.clock.shift(16 * 60_000);
    try {
      expect((await send(LIST, { authorization: `Bearer ${short}` })).status).toBe(401);
    } finally {
      world.clock.shift(-16 * 60_000);
    }
  });
});

describe('403', () => {
  it('with all scopes to ask for, when a token lacks the scope of a tool', async () => {
    const reader = await bearerFor(world.admin, { scope: 'svc:read' });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'writePointValue', arguments: {} },
    });
    const response = await send(body, { authorization: `Bearer ${reader}` });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope".* scope="svc:read svc:propose"/,
    );
  });
});

describe('tools', () => {
  it('of a scope the token lacks are not listed', async () => {
    const reader = await bearerFor(world.admin, { scope: 'svc:read' });
    const names = await connected(reader, async (client) =>
      (await client.list()).map(({ name }) => name),
    );
    expect(names).toContain('searchDevices');
    expect(names).not.toContain('writePointValue');
    expect(names).not.toContain('readPointValue');
  });

  it('the role has no permission for are not listed and do not exist when called', async () => {
    const viewer = await bearerFor(world.admin, { scope: ALL, roleCode: 'viewer' });
    await connected(viewer, async (client) => {
      const names = (await client.list()).map(({ name }) => name);
      expect(names).toContain('searchDevices');
      expect(names).not.toContain('writePointValue');
      const refusal = async (name: string) => {
        const error: unknown = await client.call(name).catch((reason: unknown) => reason);
        return z.object({ code: z.number(), message: z.string() }).parse(error);
      };
      // What is near is named of the tools that are listed only.
      const hidden = await refusal('writePointValue');
      const unknown = await refusal('notATool');
      expect(hidden.code).toBe(unknown.code);
      expect(hidden.message.split('; near')[0]).toBe(unknown.message);
      expect(hidden.message).not.toContain('writePointValue');
    });
  });

  it.each([
    ['lookupDeviceById', 'deviceId'],
    ['lookupDriverById', 'driverId'],
    ['lookupProfileById', 'profileId'],
    ['lookupPointById', 'pointId'],
  ] as const)('%s answers for a foreign id exactly as for a missing one', async (name, field) => {
    await connected(token, async (client) => {
      const foreign = await client.call(name, { [field]: theirs[field] });
      expect(foreign).toEqual(await client.call(name, { [field]: '999999999' }));
      expect(foreign.isError).toBe(true);
      expect(await client.call(name, { [field]: ours[field] })).toMatchObject({
        structuredContent: { [field]: ours[field] },
      });
    });
  });
});

describe('a tool that fails for a reason of ours', () => {
  it('says so without the reason', async () => {
    const before = world.app.tools;
    const broken = defineTool({
      name: 'brokenTool',
      title: 'Broken tool',
      domain: 'System',
      description: 'Fails as only a fault of the platform could make it fail.',
      permission: 'svc-center-data:dashboard:get',
      scope: 'svc:read',
      input: z.strictObject({}),
      output: z.object({ count: z.number() }),
      annotations: READS,
      run: () => Promise.reject(new Error('password=secret')),
    });
    const lying = defineTool({
      ...broken,
      name: 'lyingTool',
      run: () => Promise.resolve({ count: Number.NaN }),
    });
    world.app.tools = [...before, broken, lying];
    try {
      await connected(token, async (client) => {
        for (const name of ['brokenTool', 'lyingTool']) {
          const answer = await client.call(name);
          expect(answer.isError).toBe(true);
          expect(JSON.stringify(answer)).not.toMatch(/secret|count|NaN/);
        }
      });
    } finally {
      world.app.tools = before;
    }
  });
});

describe('what cannot be read', () => {
  it.each([
    ['an empty body', ''],
    ['half an object', '{'],
    ['a text', '"tools/list"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an empty batch', '[]'],
    ['a batch of numbers', '[1,2]'],
    ['no version', '{"id":1,"method":"tools/list"}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
    ['a number as method', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/drop"}'],
    ['a call without params', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'],
    ['a list as params', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}'],
    ['a number as name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}'],
    [
      'a text as arguments',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchDevices","arguments":"x"}}',
    ],
    [
      'a cursor nobody gave',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}',
    ],
    ['deep nesting', '['.repeat(50_000)],
    ['a prototype', '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":1}}'],
  ])('%s: an error, never a failure of ours', async (_what, body) => {
    const response = await send(body);
    const text = await response.text();
    expect(response.status).toBeLessThan(500);
    if (response.status < 400) expect(text).toMatch(/"error":\{"code":-32\d{3}/);
    expect(text).not.toMatch(/node_modules|\.ts:/);
  });

  it('a body over 1 MiB: 413', async () => {
    expect((await send(`"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413);
  });

  it('another content type: 415', async () => {
    expect((await send(LIST, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('a revision nobody knows: 400', async () => {
    expect((await send(LIST, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s: 405', async (method) => {
    const response = await fetch(`${world.base}/mcp`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(405);
  });
});
