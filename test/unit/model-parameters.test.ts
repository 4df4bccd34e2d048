import { describe, expect, it } from 'vitest';

import { joined, learnedFrom, withParameters } from '../../providers/request/parameters.ts';

const sent = { model: 'm', max_tokens: 9, temperature: 0.2, top_p: 0.5, stream_options: {} };

describe('a refusal', () => {
  it.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { rename: { max_tokens: 'max_completion_tokens' } },
    ],
    [
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      { drop: ['temperature'] },
    ],
    ['temperature is deprecated for this model', { drop: ['temperature'] }],
    ['Unrecognized request argument supplied: stream_options', { drop: ['stream_options'] }],
    ['body.top_p: Extra inputs are not permitted', { drop: ['top_p'] }],
    ['`top_p`: Extra inputs are not permitted', { drop: ['top_p'] }],
    ["Unknown parameter: 'seed'", null],
    ['The temperature of the boiler is too high', null],
    ['Unsupported parameter: messages', null],
    ['This model does not support tools', null],
    ['', null],
  ])('that says %s shows %j', (text, shown) => {
    expect(learnedFrom(text, sent)).toEqual(shown);
  });

  const messages = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
  ];
  it.each([
    ['short_ids', 'Tool call IDs should be alphanumeric strings with length 9!'],
    ['short_ids', 'Tool call id was c but must be a-z, A-Z, 0-9, with a length of 9.'],
    ['text_content', 'messages[3]: invalid type: null, expected a string at line 1 column 90'],
    ['text_content', 'invalid message content type: <nil>'],
    ['text_content', "Missing 'content'"],
    ['text_content', "Expected 'content' to be a string or an array"],
    ['text_content', 'can only concatenate str (not "NoneType") to str'],
    ['text_content', "each message needs a 'content' field that is not empty"],
    ['alternating', 'Please ensure that multiturn requests alternate between user and model'],
    ['alternating', 'user and assistant roles should be alternating'],
    ['alternating', 'user or tool messages should alternate with assistant messages'],
    ['no_system', 'Developer instruction is not enabled for models/gemma-3'],
    [
      'no_system',
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ],
    ['no_system', 'messages: Unexpected role "system".'],
  ])('shows that a vendor demands %s: %s', (form, text) => {
    expect(learnedFrom(text, { ...sent, messages })).toEqual({ messages: [form] });
    // Not where nothing of the kind was sent.
    const others = [{ role: 'user', content: 'a' }];
    expect(learnedFrom(text, { ...sent, messages: others })).toBeNull();
  });

  it.each([
    '{"error":{"message":"The server had an error while processing your content","param":null}}',
    'The model vanilla-7b cannot read this content',
    'This server does not support system_fingerprint',
  ])('shows no form of messages: %s', (text) => {
    expect(learnedFrom(text, { ...sent, messages })).toBeNull();
  });

  it('of the newer limit shows the older one', () => {
    const text = 'unknown field max_completion_tokens';
    expect(learnedFrom(text, { max_completion_tokens: 9 })).toEqual({
      rename: { max_completion_tokens: 'max_tokens' },
    });
  });

  it('adds to what earlier ones have shown, and a pair never renames back and forth', () => {
    const first = { rename: { max_tokens: 'max_completion_tokens' } };
    expect(joined(joined({}, first), { drop: ['temperature'] })).toEqual({
      rename: { max_tokens: 'max_completion_tokens' },
      drop: ['temperature'],
    });
    expect(joined(first, { rename: { max_completion_tokens: 'max_tokens' } })).toEqual({
      rename: { max_completion_tokens: 'max_tokens' },
      drop: [],
    });
  });
});

describe('a map of parameters', () => {
  it('renames, drops and adds, and leaves what it may not touch', () => {
    const map = {
      rename: { max_tokens: 'limit', temperature: 'model', messages: 'm' },
      drop: ['top_p', 'stream', 'tools'],
      add: { effort: { level: 'low' }, model: 'other' },
    };
    const body = { ...sent, stream: true, messages: [], tools: [] };
    expect(withParameters(body, [map])).toEqual({
      model: 'm',
      limit: 9,
      temperature: 0.2,
      stream_options: {},
      stream: true,
      messages: [],
      tools: [],
      effort: { level: 'low' },
    });
  });

  it('of the tenant comes after what was learned', () => {
    const learned = { rename: { max_tokens: 'max_completion_tokens' }, drop: ['temperature'] };
    const own = { add: { temperature: 1 }, rename: { max_completion_tokens: 'tokens' } };
    expect(withParameters({ ...sent, stream: false }, [learned, own])).toEqual({
      model: 'm',
      tokens: 9,
      temperature: 1,
      top_p: 0.5,
      stream_options: {},
      stream: false,
    });
  });
});
