import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { openApi } from '../../src/gateway/openapi/document.ts';
import { chatAnswer, chatFrames, question } from '../support/people/chat.ts';
import { startWorld, type World } from '../support/world/app.ts';

const { components } = openApi({ baseUrl: 'http://127.0.0.1:8000' });
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

function expectDescribed(answer: unknown, name: string): void {
  const check = ajv.compile({ components, $ref: `#/components/schemas/${name}` });
  check(answer);
  expect(check.errors, JSON.stringify(answer)).toBeNull();
}

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { SVC_DEMO: 'on' } });
});
afterAll(() => world.stop());

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
