import { afterEach, describe, expect, it } from 'vitest';

import { providers } from '../../providers/index.ts';
import type { ModelDelta, ModelRequest } from '../../providers/request/provider.ts';
import * as anthropic from '../support/neighbours/anthropic-model.ts';
import {
  type FakeModel,
  frame,
  type Reply,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

let upstream: FakeModel<unknown> | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

const look = { name: 'look', description: 'Looks.', parameters: { type: 'object' } };

/** What an answer comes to: its parts, and calls without their ids. */
type Heard = {
  text: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
  reason: string;
};

async function heard(
  name: 'openai-compatible' | 'anthropic',
  reply: Reply,
  more: Partial<ModelRequest> = {},
  clock = new TestClock(),
): Promise<Heard> {
  upstream =
    name === 'anthropic'
      ? await anthropic.startAnthropicModel(() => reply)
      : await startModel(() => reply);
  const provider = providers[name]({
    baseUrl: upstream.baseUrl,
    apiKey: 'k',
    clock,
    egress: null,
  });
  const request = {
    model: 'm',
    messages: [{ role: 'user', content: 'go' }] as const,
    tools: [look],
  };
  const got: Heard = { text: '', reasoning: '', calls: [], reason: '' };
  const add = (delta: ModelDelta): void => {
    if (delta.type === 'text') got.text += delta.text;
    else if (delta.type === 'reasoning') got.reasoning += delta.text;
    else if (delta.type === 'finish') got.reason = delta.reason;
    else {
      const call = (got.calls[delta.index] ??= { name: '', arguments: '' });
      call.name ||= delta.name ?? '';
      call.arguments += delta.arguments ?? '';
    }
  };
  const say = (text: string): undefined => {
    got.text += text;
  };
  const signal = new AbortController().signal;
  for await (const delta of provider.complete({ ...request, ...more }, signal, say)) add(delta);
  return got;
}

const json =
  (body: unknown, status = 200, type = 'application/json'): Reply =>
  (res) => {
    res.writeHead(status, { 'content-type': type });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const choice = (delta: object, finish: string | null = null): string =>
  frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }] });
const say = (...deltas: object[]): Reply =>
  stream(...deltas.map((delta) => choice(delta)), choice({}, 'stop'), 'data: [DONE]\n\n');
const whole = (message: object, finish = 'stop') => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
});
const message = (text: string) => ({
  type: 'message',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
});
const says = (text: string) => ({ text, reasoning: '', calls: [], reason: 'stop' });

describe('an answer without an answer is a failure', () => {
  const bodies: [string, unknown][] = [
    ['a code in place of choices', { code: 500, msg: '404 NOT_FOUND', success: false }],
    [
      'choices that are null',
      { choices: null, base_resp: { status_code: 1004, status_msg: 'no' } },
    ],
    ['an object error', { object: 'error', message: 'CUDA out of memory' }],
    ['no choice', { choices: [] }],
    ['nothing', {}],
    ['a detail', { detail: 'Not Found' }],
    ['an empty message', whole({ content: '' })],
    ['a message of spaces', whole({ content: ' \n' })],
    ['reasoning alone', whole({ content: null, reasoning_content: 'Hm.' })],
    ['the reason error', whole({ content: 'half an ans' }, 'error')],
    ['a message of the other dialect', { type: 'message', content: [{ type: 'text', text: 'a' }] }],
  ];
  it.each(bodies)('in OpenAI’s dialect: %s', async (_title, body) => {
    await expect(heard('openai-compatible', json(body))).rejects.toMatchObject({ status: 503 });
    await upstream?.stop();
    const streamed = stream(frame(body), 'data: [DONE]\n\n');
    await expect(heard('openai-compatible', streamed)).rejects.toMatchObject({ status: 503 });
  });

  it.each<[string, Reply]>([
    ['the end alone', stream('data: [DONE]\n\n')],
    ['a stream without an event', stream(': nothing\n\n')],
    [
      'an object error after some text',
      stream(choice({ content: 'partial ' }), frame({ object: 'error', message: 'CUDA' })),
    ],
    [
      'the reason error after some text',
      stream(choice({ content: 'partial ' }), choice({}, 'error')),
    ],
    ['no body', json('', 204)],
  ])('streamed: %s', async (_title, reply) => {
    await expect(heard('openai-compatible', reply)).rejects.toMatchObject({ status: 503 });
  });

  it.each<[string, unknown]>([
    ['a code', { code: 500, msg: 'no' }],
    ['a completion of the other dialect', whole({ content: 'hello' })],
    ['no content', { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' }],
    ['nothing', {}],
  ])('in Anthropic’s dialect: %s', async (_title, body) => {
    await expect(heard('anthropic', json(body))).rejects.toMatchObject({ status: 503 });
  });

  it('but not where the vendor says why there is none', async () => {
    expect(await heard('openai-compatible', json(whole({ content: '' }, 'length')))).toMatchObject({
      text: '',
      reason: 'length',
    });
  });
});

describe('the content of an answer', () => {
  const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Six times seven.' }] }];
  const answer = [
    { type: 'text', text: 'The answer ' },
    { type: 'text', text: 'is 42.' },
  ];
  const both = { ...says('The answer is 42.'), reasoning: 'Six times seven.' };
  it('may be a list of parts', async () => {
    const streamed = say({ content: thinking }, { content: [answer[0]] }, { content: [answer[1]] });
    expect(await heard('openai-compatible', streamed)).toEqual(both);
    await upstream?.stop();
    const once = json(whole({ content: [...thinking, ...answer] }));
    expect(await heard('openai-compatible', once)).toEqual(both);
  });

  it.each([
    ['<think>', '</think>'],
    ['<thinking>', '</thinking>'],
    ['[THINK]', '[/THINK]'],
  ])('begins after what a model thinks between %s and %s', async (open, close) => {
    const text = `\n${open}\nSix times seven.\n${close}\n\nThe answer is 42.`;
    for (let at = 1; at < text.length; at += 3) {
      const parts = [{ content: text.slice(0, at) }, { content: text.slice(at) }];
      const got = await heard('openai-compatible', say(...parts));
      expect({ ...got, reasoning: got.reasoning.trim() }).toEqual(both);
      await upstream?.stop();
    }
  });

  it('keeps a mark that is not at its beginning, and what only looks like one', async () => {
    const text = '<thin> is no mark, and <think>this</think> is shown.';
    const parts = text.match(/.{1,4}/g)?.map((content) => ({ content })) ?? [];
    expect(await heard('openai-compatible', say(...parts))).toEqual(says(text));
  });

  it('is an answer of its reasoning where the mark never closes and tokens run out', async () => {
    const reply = stream(
      choice({ content: '<think>On and' }),
      choice({ content: ' on' }, 'length'),
    );
    expect(await heard('openai-compatible', reply)).toMatchObject({
      text: '',
      reasoning: 'On and on',
      reason: 'length',
    });
  });

  it('holds whole characters: halves wait for each other, and a lone half is replaced', async () => {
    const parts = ['It is \ud83d', '\udd25 hot', ', \ud83d', ' or not'];
    const frames = parts.map((content) =>
      choice({ content: 'X' }).replace('"X"', JSON.stringify(content)),
    );
    const reply = stream(...frames, choice({}, 'stop'));
    const { text } = await heard('openai-compatible', reply);
    expect(text).toBe('It is \u{1f525} hot, \ufffd or not');
  });
});

describe('calls', () => {
  const fn = (name: string, text: string, more: object = {}) => ({
    tool_calls: [{ ...more, function: { name, arguments: text } }],
  });
  it.each<[string, object[]]>([
    [
      'with the index 0 and no id',
      [fn('a', '{"x":1}', { index: 0, id: '' }), fn('b', '{"y":2}', { index: 0, id: '' })],
    ],
    ['without index and id', [fn('a', '{"x":1}'), fn('b', '{"y":2}')]],
  ])('beside each other %s are two', async (_title, deltas) => {
    const { calls } = await heard('openai-compatible', say(...deltas));
    expect(calls).toEqual([
      { name: 'a', arguments: '{"x":1}' },
      { name: 'b', arguments: '{"y":2}' },
    ]);
  });

  it('of one tool beside each other, and fragments that repeat the name', async () => {
    const parts = [
      fn('a', '{"x"', { index: 0 }),
      fn('a', ':1}', { index: 0 }),
      fn('a', '{"x":2}', { index: 0 }),
    ];
    const { calls } = await heard('openai-compatible', say(...parts));
    expect(calls).toEqual([
      { name: 'a', arguments: '{"x":1}' },
      { name: 'a', arguments: '{"x":2}' },
    ]);
  });

  it('written into the text are calls where tools are offered, and text where none are', async () => {
    const text = '<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>';
    const parts = text.match(/[\s\S]{1,7}/g)?.map((content) => ({ content })) ?? [];
    expect(await heard('openai-compatible', say(...parts))).toMatchObject({
      text: '',
      calls: [{ name: 'look', arguments: '{"at":1}' }],
    });
    await upstream?.stop();
    expect(await heard('openai-compatible', say(...parts), { tools: [] })).toEqual(says(text));
    await upstream?.stop();
    expect(await heard('anthropic', json(message(text)))).toMatchObject({
      calls: [{ name: 'look' }],
    });
    await upstream?.stop();
    const broken = '<tool_call>\n{"name": look}\n</tool_call>';
    expect(await heard('openai-compatible', say({ content: broken }))).toEqual(says(broken));
  });
});

describe('the end of an answer', () => {
  const open =
    (clock: TestClock, type: string, ...parts: string[]): Reply =>
    async (res) => {
      res.writeHead(200, { 'content-type': type });
      for (const part of parts) res.write(part);
      // As long as a vendor keeps its connection open.
      for (let turn = 0; turn < 40 && !res.destroyed; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        if (turn > 5) await clock.advance(500);
      }
    };
  const EVENTS = 'text/event-stream';

  it('is its reason, although the connection stays open without [DONE]', async () => {
    const clock = new TestClock();
    const usage = frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } });
    const reply = open(clock, EVENTS, choice({ content: 'All of it.' }), choice({}, 'stop'), usage);
    expect(await heard('openai-compatible', reply, {}, clock)).toEqual(says('All of it.'));
    expect(clock.pending).toBe(0);
  });

  it('is its reason in the other dialect as well', async () => {
    const clock = new TestClock();
    const words = anthropic.block(
      0,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'All.' },
    );
    const last = anthropic.event('message_delta', { delta: { stop_reason: 'end_turn' } });
    const reply = open(clock, EVENTS, anthropic.begin, ...words, last);
    expect(await heard('anthropic', reply, {}, clock)).toEqual(says('All.'));
  });

  it('is that of its object, although the connection stays open', async () => {
    const text = 'A "}" and a \\.';
    const body = JSON.stringify(whole({ content: text }));
    for (const type of ['application/json', EVENTS]) {
      const clock = new TestClock();
      const reply = open(clock, type, body.slice(0, 70), body.slice(70));
      expect(await heard('openai-compatible', reply, {}, clock)).toEqual(says(text));
      await upstream?.stop();
    }
  });

  it('may come with another type or status than the body has', async () => {
    const events = [choice({ content: 'Well.' }), choice({}, 'stop'), 'data: [DONE]\n\n'].join('');
    const body = whole({ content: 'Well.' });
    const forms = [
      json(events),
      json(events, 201),
      json(body, 201),
      json(JSON.stringify(body, null, 2), 200, EVENTS),
      json(body, 200, 'text/plain'),
    ];
    for (const reply of forms) {
      expect(await heard('openai-compatible', reply)).toEqual(says('Well.'));
      await upstream?.stop();
    }
    expect(await heard('anthropic', json(message('Well.'), 200, EVENTS))).toEqual(says('Well.'));
  });
});
