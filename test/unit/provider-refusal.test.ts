import { describe, expect, it } from 'vitest';

import { endOf } from '../../providers/request/provider.ts';
import {
  contextNamedIn,
  failedInside,
  refusal,
  VendorRefusal,
} from '../../providers/request/refusal.ts';
import { vendorReason } from '../../src/agentic/provider/reason.ts';

/** The texts are those of vendors and of servers of local models. */
describe('a request that is longer than the context', () => {
  const codeOf = (status: number, text: string) => refusal(new VendorRefusal(status, text)).code;

  it.each([
    [400, "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens"],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    [400, 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [400, 'Invalid request: Your request exceeded model token limit: 8192'],
    [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096'],
    [422, 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000'],
    [400, 'The decoder prompt (length 5000) is longer than the maximum model length of 4096'],
    [400, 'Range of input length should be [1, 30720]'],
    [400, 'Prompt 超长'],
    [400, 'Please reduce the length of the messages or completion.'],
    [400, 'Input tokens exceed the configured limit of 272000 tokens.'],
    [
      400,
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    [413, 'Request too large for model `m`: Limit 6000, Requested 7000'],
    [500, 'the request exceeds the available context size, try increasing it'],
    [500, 'The number of tokens to keep is longer than the context length'],
  ])('is known by %i %s', (status, text) =>
    expect(codeOf(status, text)).toBe('context_length_exceeded'),
  );

  it.each([
    ["This model's maximum context length is 8192 tokens. However, you requested 9001", 8192],
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000', 200_000],
    ["This model's maximum prompt length is 131072 but the request contains 537812", 131_072],
    ['Your request exceeded model token limit: 8192', 8192],
    ['`inputs` tokens + `max_new_tokens` must be <= 4096', 4096],
    ['longer than the maximum model length of 4096', 4096],
    ['Range of input length should be [1, 30720]', 30_720],
    ['request (9000 tokens) exceeds the available context size (4,096 tokens)', 4096],
    ['{"error":{"n_prompt_tokens":9000,"n_ctx":4096}}', 4096],
    ['context_length_exceeded', null],
    ['Prompt 超长', null],
  ])('names its context: %s', (text, tokens) => expect(contextNamedIn(text)).toBe(tokens));

  it.each([
    [400, 'max_tokens is too large: 100000. This model supports at most 4096 completion tokens'],
    [400, "Invalid 'tools': array too long. Expected an array with maximum length 128"],
    [400, "Invalid 'messages[0].content': string too long."],
    [413, '<html><h1>413 Request Entity Too Large</h1></html>'],
    [400, 'Request Header Or Cookie Too Large'],
    [500, 'cannot allocate a context size of 131072'],
    [503, 'the context length is unknown'],
    [500, 'failed to load model: context size 131072 exceeds available memory'],
    [500, 'You exceeded your daily limit of tokens'],
    [400, 'You exceeded your monthly limit of tokens'],
    [400, 'The requested output exceeds the limit of 8192 output tokens'],
    [400, 'max_tokens exceeds the maximum of 4096 completion tokens'],
    [400, 'Your request contains an image too large'],
    [400, 'input audio too long'],
  ])('is another one than %i %s', (status, text) =>
    expect(codeOf(status, text)).not.toBe('context_length_exceeded'),
  );
});

describe('a schema that a server cannot read', () => {
  const messageOf = (status: number, text: string) =>
    refusal(new VendorRefusal(status, text)).message;

  it.each([
    [400, 'failed to parse grammar'],
    [500, 'xgrammar: the schema has keywords that are not supported'],
    [422, 'Unimplemented keys: ["minimum"]'],
  ])('is known by %i %s', (status, text) => expect(messageOf(status, text)).toContain('grammar'));

  it.each([
    [401, 'failed to parse grammar'],
    [500, 'CUDA out of memory in xgrammar/matcher.py'],
    [503, 'worker died: xgrammar'],
  ])('is none by %i %s', (status, text) =>
    expect(messageOf(status, text)).not.toContain('grammar'),
  );
});

describe('an error inside an answer under 200', () => {
  it.each<[unknown, number, string]>([
    [
      { error: { message: "This model's maximum context length is 8192 tokens", code: 400 } },
      400,
      'context_length_exceeded',
    ],
    [
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8 maximum' },
      },
      400,
      'context_length_exceeded',
    ],
    [
      { error_type: 'BadRequestError', error_message: 'maximum context length is 8192 tokens' },
      400,
      'context_length_exceeded',
    ],
    [
      { error: 'The input exceeds the available context size of the model' },
      400,
      'context_length_exceeded',
    ],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 503, 'is overloaded'],
    [{ type: 'error', error: { type: 'rate_limit_error' } }, 429, 'over its rate limit'],
    [{ error: { code: 429, message: 'slow down' } }, 429, 'over its rate limit'],
    [[{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }], 429, 'over its rate limit'],
    [{ choices: [{ error: { code: 429 }, finish_reason: 'error' }] }, 429, 'over its rate limit'],
    [{ error: { code: 402, message: 'no' } }, 503, 'no credit left'],
    [{ error: { code: 'invalid_api_key', type: 'invalid_request_error' } }, 503, 'configured key'],
    [{ error: { type: 'not_found_error', message: 'model: x' } }, 503, 'does not know the model'],
    [{ error: { code: 400, message: 'failed to parse grammar' } }, 422, 'parse its grammar'],
    [{ error: { code: 400, message: 'no' } }, 422, 'refused the request'],
    [{ object: 'error', message: 'CUDA out of memory', code: 50_001 }, 503, 'failed'],
    [{ success: false }, 503, 'failed'],
  ])('keeps its meaning: %j', (body, status, words) => {
    const error = failedInside(JSON.stringify(body));
    expect(error.status).toBe(status);
    expect(`${error.code}: ${error.message}`).toContain(words);
  });

  it('is no status of the response for those that read its reason', () => {
    const body = { error: { code: 429, message: 'slow down' } };
    expect(vendorReason(failedInside(JSON.stringify(body)))).toBe('HTTP 200: slow down');
  });
});

it.each([
  ['network_error', 'failed'],
  ['insufficient_system_resource', 'failed'],
  ['abort', 'failed'],
  ['ERROR', 'failed'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['function_call', 'tool_calls'],
  ['eos', 'stop'],
  ['constructor', 'stop'],
])('the end %s of an answer is known: %s', (name, end) => expect(endOf(name)).toBe(end));
