import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { openApi } from '../../src/gateway/openapi/document.ts';
import { chatAnswer, chatFrames, question } from '../support/people/chat.ts';
import { startedWorld } from '../support/world/prepared.ts';

const { components } = openApi({ baseUrl: 'http://127.0.0.1:8000' });
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

function expectDescribed(answer: unknown, name: string): void {
  const check = ajv.compile({ components, $ref: `#/components/schemas/${name}` });
  check(answer);
  expect(check.errors, JSON.stringify(answer)).toBeNull();
}

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });

it.each([
  ['/healthz', 'Alive'],
  ['/readyz', 'Ready'],
  ['/.well-known/oauth-protected-resource', 'ProtectedResource'],
  ['/.well-known/oauth-protected-resource/api/v3', 'ProtectedResource'],
  ['/.well-known/oauth-authorization-server', 'AuthorizationServer'],
  ['/oauth2/jwks', 'KeySet'],
  ['/api/v3/agentic/models', 'OpenAiModels'],
  ['/api/v3/agentic/models/scripted', 'OpenAiModel'],
  ['/api/v3/agentic/models/absent', 'OpenAiFailure'],
])('%s answers what the OpenAPI document describes as %s', async (path, name) => {
  const response = await fetch(`${world.base}${path}`, { headers: world.admin.headers });
  expectDescribed(await response.json(), name);
});

it('registered clients and refusals of OAuth are as described', async () => {
  const sent = (body: unknown) =>
    fetch(`${world.base}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const registered = await sent({ redirect_uris: ['http://127.0.0.1:9/back'] });
  expect(registered.status).toBe(201);
  expectDescribed(await registered.json(), 'OAuthClient');
  expectDescribed(await (await sent({})).json(), 'OAuthError');
  const token = await fetch(`${world.base}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'none' }),
  });
  expectDescribed(await token.json(), 'OAuthError');
});

it('a completion, and every chunk of a streamed one, is as described', async () => {
  const { status, body } = await chatAnswer(world.admin, question('which devices are there?'));
  expect(status).toBe(200);
  expectDescribed(body, 'ChatCompletion');
  const { data } = await chatFrames(world.admin, 'which devices are there?', {
    stream_options: { include_usage: true },
  });
  expect(data.length).toBeGreaterThan(3);
  for (const frame of data)
    if (frame !== '[DONE]') expectDescribed(JSON.parse(frame), 'ChatCompletionChunk');
  expect(data.at(-1)).toBe('[DONE]');
});

const Documented = z.record(
  z.string(),
  z.object({ content: z.record(z.string(), z.unknown()).optional() }),
);

/** The types that the document names for an answer of this status. */
function typesFor(path: string, method: 'get' | 'post', status: number): string[] {
  const operation = z
    .record(z.string(), z.record(z.string(), z.object({ responses: Documented }).optional()))
    .parse(openApi({ baseUrl: world.base })['paths'])[path]?.[method];
  const found =
    operation?.responses[status] ?? operation?.responses[`${Math.floor(status / 100)}XX`];
  return Object.keys(found?.content ?? {});
}

it.each([
  [400, 'get', '/oauth2/authorize', '?client_id=none', 'text/html'],
  [200, 'get', '/oauth2/jwks', '', 'application/jwk-set+json'],
  [401, 'post', '/mcp', '', 'application/json'],
] as const)('the answer %i of %s %s has the type of the document', async (...given) => {
  const [status, method, path, query, type] = given;
  const response = await fetch(`${world.base}${path}${query}`, {
    method,
    headers: { accept: 'text/html, application/json, text/event-stream' },
    redirect: 'manual',
  });
  await response.body?.cancel();
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
  expect(typesFor(path, method, status)).toContain(type);
});

it('a stream is described as text, and a file in any type', () => {
  const stream = openApi({ baseUrl: world.base });
  const found: unknown[] = [];
  const patterns: string[] = [];
  const walk = (node: unknown, key = ''): void => {
    if (key === 'text/event-stream') found.push(node);
    if (key === 'pattern' && typeof node === 'string') patterns.push(node);
    if (typeof node === 'object' && node !== null)
      for (const [name, one] of Object.entries(node)) walk(one, name);
  };
  walk(stream);
  expect(found.length).toBeGreaterThan(3);
  for (const one of found) expect(one).toMatchObject({ schema: { type: 'string' } });
  expect(typesFor('/api/v3/agentic/session/export', 'get', 200)).toEqual(['*/*']);
  // What Python, Go and others do not know: classes of Unicode, code points in braces, the flags of JavaScript.
  expect(patterns.filter((one) => /\\[pP]\{|\\u\{|\(\?</.test(one))).toEqual([]);
  expect(patterns.length).toBeGreaterThan(10);
});
