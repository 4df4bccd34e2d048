import { beforeAll, describe, expect, it } from 'vitest';

import { centers } from '../../src/gateway/mount/centers.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, ErrorBody, question } from '../support/people/chat.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

/** Requests as clients really send them (docs/specification/assistant.md, Chat completions). */
const AGENTIC = '/api/v3/agentic';
const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
let answer: typeof chatWorld.answer;
beforeAll(() => {
  ({ answer } = chatWorld);
});
const lastSent = () => chatWorld.model.requests.at(-1);
const tool = {
  type: 'function',
  function: { name: 'getWeather', parameters: { type: 'object', properties: {} } },
};
const line = { type: 'text', text: 'a line' };
const calling = (more: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'getWeather', ...more } }],
});

describe('a request', () => {
  it.each<[string, object]>([
    ['no functions', { functions: [] }],
    ['a bias as an empty text', { logit_bias: '' }],
    ['a bias as a text of JSON', { logit_bias: '{"5":10}' }],
    [
      'cleared fields',
      { reasoning_effort: '', verbosity: '', stop: '', tool_choice: '', response_format: {} },
    ],
    ['no call of no functions', { functions: [], function_call: 'none' }],
    ['the word of Mistral for a call that must be', { tool_choice: 'any' }],
    ['no limit as -1', { max_tokens: -1 }],
    ['no limit as 0', { max_tokens: 0 }],
    ['an effort as the Responses API has it', { reasoning: { effort: 'low' } }],
    ['a pasted log', question('x'.repeat(400_000))],
    [
      'a prompt of hundreds of entities',
      { messages: [{ role: 'system', content: 'y'.repeat(80_000) }, ...question('hi').messages] },
    ],
    [
      'parts of an earlier answer',
      {
        messages: [
          { role: 'user', content: 'one' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.' },
              { type: 'output_text', text: 'Two.' },
              { type: 'tool_use', id: 't', name: 'x', input: {} },
              { type: 'reasoning_text', text: 'Hm.' },
              { type: 'think', think: 'Hm.' },
              { type: 'tool-result', toolCallId: 't', output: {} },
              { type: 'image', image: 'x' },
            ],
          },
          { role: 'user', content: 'three' },
        ],
      },
    ],
    [
      'a result whose call is gone',
      {
        messages: [
          { role: 'user', content: 'one' },
          { role: 'tool', tool_call_id: 'call_gone', content: 'sunny' },
          { role: 'assistant', content: 'Two.' },
          { role: 'user', content: 'three' },
        ],
      },
    ],
    [
      'hundreds of parts',
      {
        messages: [{ role: 'user', content: Array.from({ length: 400 }, () => line) }],
      },
    ],
    [
      'thousands of messages',
      {
        messages: Array.from({ length: 4_001 }, (_, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: `m${at}`,
        })),
      },
    ],
  ])('may have %s', async (_title, more) => {
    answer(() => say('Well.'));
    const { status, body } = await chatAnswer(session, { ...question('hi'), ...more });
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    expect(lastSent()).not.toHaveProperty('max_tokens', -1);
    // A vendor refuses a result without its call.
    expect(results(lastSent())).toEqual([]);
  });

  it('may name the tool of a result, and have the arguments of a call as an object', async () => {
    answer(() => say('Sunny.'));
    await chatAnswer(session, {
      tools: [tool],
      messages: [
        { role: 'user', content: 'how is it?' },
        calling({ arguments: { place: 'here' } }),
        { role: 'tool', name: 'getWeather', content: '"sunny"' },
        { role: 'user', content: 'and now?' },
      ],
    });
    expect(results(lastSent())).toEqual(['sunny']);
  });

  it('may have an empty header in place of a conversation, and spaces before its key', async () => {
    answer(() => say('Well.'));
    const { status, headers } = await chatAnswer(session, question('hi'), {
      'x-conversation-id': '',
    });
    expect([status, headers.get('x-conversation-id')]).toEqual([200, null]);
    const { authorization } = Object.fromEntries(Object.entries(session.headers));
    if (authorization === undefined) return;
    const spaced = { authorization: authorization.replace(' ', '  ') };
    expect((await chatAnswer(session, question('hi'), spaced)).status).toBe(200);
  });

  it('of a person that begins with "### Task:" is a question like any other', async () => {
    answer(() => say('Well.'));
    await chat(session, '### Task:\nTell me about dev-1');
    expect(lastSent()?.tools?.length).toBeGreaterThan(5);
  });

  it('of a temporary chat of Open WebUI leaves no conversation', async () => {
    answer(() => say('Well.'));
    for (const id of ['temporary:abc', 'local:abc']) {
      const { headers } = await chatAnswer(session, question('find-me-not'), {
        'x-openwebui-chat-id': id,
      });
      expect(headers.get('x-conversation-id'), id).toBeNull();
    }
    const found = await session.data(`${AGENTIC}/session/search`, { words: 'find-me-not' });
    expect(found).toEqual([]);
  });
});

describe('a path below the prefix', () => {
  it.each([
    '/completions',
    '/v1/embeddings',
    '/v1/files',
    '//chat/completion',
    '/v1/unheard/of',
    '/models/org/unknown',
    '/messages',
    '/rerank',
    '/api/tags',
    '/',
  ])('that is not there is an error of OpenAI: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const asked = { method, headers: session.headers };
      const response = await fetch(`${session.base}${AGENTIC}${path}`, asked);
      expect(response.status).toBe(404);
      expect(ErrorBody.parse(await response.json()).error.code).toMatch(
        /^(unknown_url|model_not_found)$/,
      );
    }
  });

  it('beside an operation of the platform is answered in the envelope', async () => {
    const areas = new Set(centers.agentic.map(({ path }) => path.split('/')[1]));
    expect(areas.size).toBeGreaterThan(8);
    for (const area of areas) {
      const { status, body } = await session.get(`${AGENTIC}/${area}/unheard`);
      expect([area, status, body.ok]).toEqual([area, 404, false]);
    }
  });

  it('may be a model with a slash in its name', async () => {
    await session.data(`${AGENTIC}/provider/config/add`, {
      name: 'slashed',
      baseUrl: chatWorld.model.baseUrl,
      model: 'org/model-1',
    });
    for (const id of ['org/model-1', 'org%2Fmodel-1']) {
      const response = await fetch(`${session.base}${AGENTIC}/v1/models/${id}`, {
        headers: session.headers,
      });
      expect(await response.json()).toMatchObject({ id: 'org/model-1' });
    }
  });
});

it('lets a page of a named origin send the headers of SDKs', async () => {
  const origin = 'https://app.example';
  await session.data(`${AGENTIC}/origin/set`, { origins: [origin] });
  const names = [
    'authorization',
    'user-agent',
    'openai-organization',
    'x-openwebui-chat-id',
    'idempotency-key',
    'traceparent',
    'x-stainless-retry-count',
  ];
  const response = await fetch(`${session.base}${AGENTIC}/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': [...names, 'cookie', 'x-auth-token'].join(','),
    },
  });
  expect(response.headers.get('access-control-allow-headers')).toBe(names.join(', '));
});

it('withdraws the proposals of a branch when its question is asked otherwise', async () => {
  const { deviceId, pointId } = await onboardVirtual(chatWorld.world, fresh('plant'));
  const conversationId = 'left';
  const propose = (value: number) =>
    answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { deviceId, pointId, value }])
        : say('I proposed it.'),
    );
  propose(24.5);
  const first = await chat(session, 'set it to 24.5', { conversationId });
  propose(20.5);
  const second = await chat(session, 'set it to 20.5', { conversationId, x_svc: { edit: 1 } });
  const statusOf = async (actionId = '') => {
    const { body } = await session.get(`${AGENTIC}/action/get`, { action_id: actionId });
    return body.data;
  };
  expect(await statusOf(first.pending[0]?.actionId)).toMatchObject({ status: 'WITHDRAWN' });
  expect(await statusOf(second.pending[0]?.actionId)).toMatchObject({ status: 'PENDING' });
  expect(second.pending[0]).not.toEqual(first.pending[0]);
});
