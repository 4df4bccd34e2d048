import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

import { usageOf } from '../../src/agentic/accounting/usage.ts';
import { ChatCompletion } from '../../src/agentic/chat/answer/completion.ts';
import { ChatBody, readChatRequest } from '../../src/agentic/chat/request/request.ts';
import { chatRequest } from '../../src/gateway/openapi/chat-request.ts';

const isDescribed = new Ajv2020({ strict: false }).compile(chatRequest);
/** Former names, and fields that are only there to be refused in words. */
const UNDESCRIBED = ['maxTokens', 'modalities', 'audio', 'functions', 'function_call'];

const PNG = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')}`;
const CSV = `data:text/csv;base64,${Buffer.from('a;1').toString('base64')}`;
const weather = { type: 'function', function: { name: 'getWeather' } };
const picture = { type: 'image_url', image_url: { url: PNG, detail: 'low' } };
const file = { type: 'file', file: { filename: 'a.csv', file_data: CSV } };
const json_schema = { name: 'state', schema: { type: 'object' }, strict: true };

const isTaken = (body: unknown): boolean => {
  try {
    readChatRequest(body);
    return true;
  } catch {
    return false;
  }
};
const saying = (content: unknown, role = 'user') => ({ messages: [{ role, content }] });
const asking = (more: object) => ({ ...saying('hi'), ...more });

describe('the OpenAPI description of a chat request', () => {
  it('has every field that is read', () => {
    const described = Object.keys(Object(chatRequest['properties']));
    expect([...described, ...UNDESCRIBED].toSorted()).toEqual(
      Object.keys(ChatBody.shape).toSorted(),
    );
  });

  it.each([
    saying('hi'),
    saying([{ type: 'text', text: 'What is it?' }, picture, file]),
    {
      messages: [
        ...saying('hi').messages,
        {
          role: 'assistant',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'getWeather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'sunny' },
      ],
    },
    asking({ tools: [weather], tool_choice: 'required', parallel_tool_calls: false }),
    asking({ tools: [weather], tool_choice: weather }),
    asking({
      tools: [weather],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [weather] } },
    }),
    asking({ response_format: { type: 'json_schema', json_schema } }),
    asking({ response_format: { type: 'json_object' }, stop: 'END' }),
    asking({ stream: true, stream_options: { include_usage: true }, x_svc: { resumable: true } }),
    asking({ store: true, user: 'bea', metadata: { task: 'title_generation' }, n: 1 }),
    asking({
      stop: ['a', 'b'],
      logit_bias: { 5: -100 },
      verbosity: 'low',
      reasoning_effort: 'max',
    }),
    asking({ conversationId: 'a', x_svc: { edit: 3 }, attachments: ['7'], unknown: 1 }),
  ])('fits what is taken: %j', (body) => {
    expect(isTaken(body)).toBe(true);
    expect(isDescribed(body), JSON.stringify(isDescribed.errors)).toBe(true);
  });

  it.each([
    {},
    { messages: [] },
    saying('hi', 'robot'),
    saying([{ type: 'input_audio' }]),
    saying([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]),
    asking({ tools: [{ type: 'web_search' }] }),
    asking({ tools: [{ type: 'function', function: { name: 'no name' } }] }),
    asking({ tool_choice: 'always' }),
    asking({ response_format: { type: 'xml' } }),
    asking({ response_format: { type: 'json_schema' } }),
    asking({ stream_options: { include_usage: 'yes' } }),
    asking({ store: 'yes' }),
    asking({ n: 2 }),
    asking({ metadata: [] }),
    asking({ user: 'x'.repeat(129) }),
    asking({ temperature: 3 }),
    asking({ verbosity: 'loud' }),
    asking({ logit_bias: 'five' }),
    asking({ tool_choice: 'some' }),
    asking({ reasoning_effort: 'huge' }),
    asking({ max_completion_tokens: -2 }),
    asking({ stop: ['a', 'b', 'c', 'd', 'e'] }),
  ])('does not fit what is refused: %j', (body) => {
    expect(isTaken(body)).toBe(false);
    expect(isDescribed(body)).toBe(false);
  });
});

it.each([
  { reasoning_effort: '', verbosity: '', stop: '', tool_choice: '', response_format: {} },
  { response_format: '', model: '', stop: ['', ''], functions: [], function_call: 'auto' },
])('a field that a form left empty is left out: %j', (fields) => {
  expect(readChatRequest(asking(fields))).toEqual(readChatRequest(asking({})));
});

it('a bias may be a text, and the word any is required', () => {
  const given = asking({ logit_bias: '{"5":10}', tools: [weather], tool_choice: 'any' });
  expect(readChatRequest(given)).toMatchObject({
    sampling: { logitBias: { 5: 10 } },
    tools: { choice: 'required' },
  });
});

it('the OpenAPI description of an answer has the details of its usage', () => {
  const usage = {
    promptTokens: 9,
    completionTokens: 5,
    cachedTokens: 4,
    reasoningTokens: 3,
  };
  const step = {
    provider: 'p',
    model: 'm',
    usage,
    isEstimated: false,
    price: null,
    end: 'OK' as const,
    reason: '',
    firstTokenMs: null,
    durationMs: 1,
  };
  const used = usageOf([step]);
  expect(used).toMatchObject({
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  });
  // A schema leaves out what it does not describe.
  expect(ChatCompletion.shape.usage.parse(used)).toEqual(used);
});
