import { gzipSync } from 'node:zlib';

import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { discover, registerApp, tokensFor } from '../support/people/oauth-client.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

type Asked = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: NonNullable<RequestInit['body']>;
};

/** What a client sees of an answer, without what differs from call to call. */
async function seen(base: string, { path, headers = {}, ...rest }: Asked) {
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    ...rest,
    headers: {
      ...(rest.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: AbortSignal.timeout(30_000),
  });
  const kept = [
    'content-type',
    'allow',
    'cache-control',
    'content-security-policy',
    'x-frame-options',
  ];
  const text = await answer.text();
  return {
    status: answer.status,
    headers: Object.fromEntries(kept.map((name) => [name, answer.headers.get(name)])),
    body: text === '' ? '' : z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
  };
}

/**
 * docs/specification/service.md, Components: the gateway aggregates the routes of the four centers, wherever
 * they run.
 */
describe('a gateway whose centers run elsewhere', () => {
  const split = prepared(startSplit);
  const whole = startedWorld();
  afterAll(async () => {
    await split.stop();
  });

  const manager = '/api/v3/manager';
  const json = (value: unknown): string => JSON.stringify(value);
  const cases: Record<string, (session: Session) => Asked> = {
    'a list': ({ headers }) => ({ path: `${manager}/profile/list`, headers, body: '{}' }),
    'a GET with a query': ({ headers }) => ({
      method: 'GET',
      path: `${manager}/device/get_by_id?id=999999`,
      headers,
    }),
    'no body': ({ headers }) => ({ path: `${manager}/device/delete?id=999999`, headers }),
    'an unknown path': ({ headers }) => ({ path: `${manager}/nothing?a=1`, headers, body: '{}' }),
    'an unknown path and a bad login': () => ({
      path: `${manager}/nothing`,
      headers: { 'x-auth-tenant': 'default' },
    }),
    'an unknown center': ({ headers }) => ({ path: '/api/v3/nothing/list', headers }),
    'another method': ({ headers }) => ({ method: 'GET', path: `${manager}/device/list`, headers }),
    'no login': () => ({ path: `${manager}/device/list`, body: '{}' }),
    'a bad login': () => ({
      path: `${manager}/device/list`,
      headers: { 'x-auth-tenant': 'default', 'x-auth-login': 'admin', 'x-auth-token': '{}' },
      body: '{}',
    }),
    'a wrong password': () => ({
      path: '/api/v3/auth/token/generate',
      body: json({ tenant: 'default', name: 'admin', salt: 'x', password: 'wrong password' }),
    }),
    'bad JSON': ({ headers }) => ({ path: `${manager}/device/list`, headers, body: '{"a":' }),
    'a JSON text': ({ headers }) => ({ path: `${manager}/device/list`, headers, body: '"text"' }),
    'a wrong field': ({ headers }) => ({
      path: `${manager}/device/add`,
      headers,
      body: json({ deviceName: 7 }),
    }),
    'another content type': ({ headers }) => ({
      path: `${manager}/device/list`,
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'hello',
    }),
    'another charset': ({ headers }) => ({
      path: `${manager}/device/list`,
      headers: { ...headers, 'content-type': 'application/json; charset=klingon' },
      body: '{}',
    }),
    'a body too large': ({ headers }) => ({
      path: `${manager}/device/list`,
      headers,
      body: json({ deviceName: 'x'.repeat(300_000) }),
    }),
    'a compressed body': ({ headers }) => ({
      path: `${manager}/device/list`,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(json({ deviceName: 'nobody' }))),
    }),
    'a compressed body too large': ({ headers }) => ({
      path: `${manager}/device/list`,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(json({ deviceName: 'x'.repeat(300_000) }))),
    }),
    'a chat without messages': ({ headers }) => ({
      path: '/api/v3/agentic/chat/completions',
      headers,
      body: '{}',
    }),
    'a chat without login': () => ({ path: '/api/v3/agentic/chat/completions', body: '{}' }),
    'a chat too large': ({ headers }) => ({
      path: '/api/v3/agentic/chat/completions',
      headers,
      body: json({ messages: [{ role: 'user', content: 'x'.repeat(1_100_000) }] }),
    }),
    'a chat below v1': ({ headers }) => ({
      path: '/api/v3/agentic/v1/chat/completions',
      headers,
      body: '{}',
    }),
    'the models': ({ headers }) => ({ path: '/api/v3/agentic/models', headers }),
    'the models below v1': ({ headers }) => ({ path: '/api/v3/agentic/v1/models', headers }),
    'a model': ({ headers }) => ({ path: '/api/v3/agentic/models/scripted', headers }),
    'a model nobody has': ({ headers }) => ({ path: '/api/v3/agentic/models/a%2Fb', headers }),
    'models without login': () => ({ path: '/api/v3/agentic/models' }),
    "OpenAI's newer endpoint": ({ headers }) => ({
      path: '/api/v3/agentic/responses',
      headers,
      body: '{}',
    }),
    'a response nobody has': ({ headers }) => ({
      path: '/api/v3/agentic/responses/resp_1',
      headers,
    }),
    'its input items below v1': ({ headers }) => ({
      path: '/api/v3/agentic/v1/responses/resp_1/input_items?limit=0',
      headers,
    }),
    'a conversation nobody has, below v1': ({ headers }) => ({
      path: '/api/v3/agentic/v1/conversations/conv_1/items',
      headers,
    }),
    'a conversation begun with nothing it can be': ({ headers }) => ({
      path: '/api/v3/agentic/conversations',
      headers,
      body: '{"items":[{}]}',
    }),
    'OAuth metadata asked for wrongly': () => ({ path: '/oauth2/nothing' }),
    'a token without client': () => ({
      path: '/oauth2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    }),
  };

  it.each(Object.keys(cases))('answers %s as one process does', async (name) => {
    const ask = cases[name];
    if (!ask) throw new Error(name);
    const apart = await seen(split.base, ask(split.admin));
    expect(apart).toEqual(await seen(whole.base, ask(whole.admin)));
    expect(apart.status).not.toBe(500);
  });

  it('answers with the request id it was asked with, and runs HEAD', async () => {
    const headers = { ...split.admin.headers, 'x-request-id': 'mine-1' };
    const url = `${split.base}/api/v3/auth/tenant/get_by_code?code=default`;
    const answer = await fetch(url, { method: 'HEAD', headers });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'mine-1']);
    expect(await answer.text()).toBe('');
  });

  it('carries a whole use: onboard, write, receipt', async () => {
    const { deviceId, target } = await onboard(split.admin);
    const input = { deviceId, pointId: target, value: '21.5' };
    const commandId = await split.admin.data('/api/v3/data/point_command/write', input);
    const receipt = await eventually(
      () =>
        split.admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
          commandId: String(commandId),
        }),
      (now) => !/"(PENDING|SENT)"/.test(JSON.stringify(now)),
    );
    expect(receipt).toMatchObject({ status: 'SUCCESS', verification: 'VERIFIED' });
  });

  it('chats, at once and streamed', async () => {
    const chat = new OpenAI({
      baseURL: `${split.base}/api/v3/agentic`,
      apiKey: 'unused',
      defaultHeaders: { ...split.admin.headers, authorization: null },
      maxRetries: 0,
    });
    const ask = { model: 'scripted', messages: [{ role: 'user' as const, content: 'help' }] };
    const answer = await chat.chat.completions.create(ask);
    const content = answer.choices[0]?.message.content;
    expect(content).toMatch(/\w/);
    let text = '';
    for await (const chunk of await chat.chat.completions.create({ ...ask, stream: true }))
      text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(content);
  });

  it('leads OAuth to the auth center and serves MCP itself', async () => {
    const metadata = await fetch(`${split.base}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({
      issuer: split.base,
      token_endpoint: `${split.base}/oauth2/token`,
    });
    const token = await bearerFor(split.admin, { scope: 'svc:read' });
    for (const open of Object.values(clients)) {
      const client = await open(split.base, token);
      const result = await client.call('getCurrentTenantInfo');
      expect(result.structuredContent).toMatchObject({ tenantCode: 'default' });
      await client.close();
    }
  });

  it('leads a person through the login and consent pages of the auth center', async () => {
    const server = await discover(split.base);
    const { access } = await tokensFor(split.base, server, await registerApp(server));
    const client = await clients['client 2 pinned to 2026-07-28']?.(split.base, access);
    expect((await client?.list())?.map(({ name }) => name)).toContain('searchDevices');
    await client?.close();
  });

  it('says 503 while a center is down, is not ready, serves the others, and recovers with it', async () => {
    const list = () => split.admin.post('/api/v3/manager/profile/list', {});
    const port = String(split.centers.manager.ports.manager);
    await split.centers.manager.stop();
    const down = await list();
    expect([down.status, down.body.code]).toEqual([503, 'R503']);
    expect(down.body.message).toBe('The manager center is not there now');
    expect((await split.admin.post('/api/v3/agentic/session/list', {})).status).toBe(200);
    const ready = async () => (await fetch(`${split.base}/readyz`)).json();
    expect(await eventually(ready, (now) => JSON.stringify(now).includes('center'))).toMatchObject({
      status: 'not ready',
      waitingFor: ['manager center'],
    });
    await split.start({ SVC_ROLES: 'manager', SVC_MANAGER_PORT: port });
    expect((await list()).status).toBe(200);
    expect(await eventually(ready, (now) => !JSON.stringify(now).includes('center'))).toMatchObject(
      { status: 'ready', waitingFor: [] },
    );
  });
});
