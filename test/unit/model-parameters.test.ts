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
