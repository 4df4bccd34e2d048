import { describe, expect, it } from 'vitest';

import type { FinishReason, ModelDelta } from '../../providers/request/provider.ts';
import { wordsOf } from '../../providers/request/words.ts';

const parameters = { type: 'object', properties: { of: { type: 'string' } } };
const tools = [{ name: 'a', description: 'Does.', parameters }];

type How = { thinksFirst?: boolean; reason?: FinishReason; sent?: object };

function deltasOf(
  texts: readonly string[],
  { thinksFirst = false, reason = 'stop', sent = {} }: How = {},
) {
  const words = wordsOf({ tools, sent, thinksFirst });
  const given: ModelDelta[] = [
    ...texts.map((text): ModelDelta => ({ type: 'text', text })),
    { type: 'finish', reason },
  ];
  return given.flatMap((one) => words.take(one));
}

/** What is heard of texts; `finish` with what they showed. */
function heard(texts: readonly string[], how: How = {}) {
  const got = { text: '', reasoning: '', calls: 0, thinksFirst: null as boolean | null };
  for (const delta of deltasOf(texts, how)) {
    if (delta.type === 'text') got.text += delta.text;
    else if (delta.type === 'reasoning') got.reasoning += delta.text;
    else if (delta.type === 'toolCall') got.calls += 1;
    else got.thinksFirst = delta.thinksFirst ?? null;
  }
  return got;
}
const cutAt = (text: string, at: number): string[] => [text.slice(0, at), text.slice(at)];
const everyCut = (text: string): string[][] =>
  Array.from({ length: text.length - 1 }, (_, at) => cutAt(text, at + 1));

const THOUGHT = 'Six times seven.\n</think>\n\nThe answer is 42.';
const both = { text: 'The answer is 42.', reasoning: 'Six times seven.', calls: 0 };

describe('a thought that the template of a model opened', () => {
  it('is no part of an answer that comes in one piece, and is noticed', () => {
    expect(heard([THOUGHT])).toEqual({ ...both, thinksFirst: true });
    expect(heard([`</think>\n\nThe answer is 42.`])).toMatchObject({ text: 'The answer is 42.' });
  });

  it('is noticed where it was said already', () => {
    for (const texts of everyCut(THOUGHT)) expect(heard(texts).thinksFirst).toBe(true);
    expect(heard(THOUGHT.split('')).thinksFirst).toBe(true);
  });

  it('is no part of an answer of a model that has shown it before', () => {
    for (const texts of [...everyCut(THOUGHT), THOUGHT.split('')]) {
      const got = heard(texts, { thinksFirst: true });
      expect({ ...got, reasoning: got.reasoning.trim() }).toEqual({ ...both, thinksFirst: null });
    }
  });

  it('may be followed by calls that are written as text', () => {
    const call = '<tool_call>{"name":"a","arguments":{}}</tool_call>';
    const got = heard(cutAt(`Hm.</think>\n${call}`, 5), { thinksFirst: true });
    expect(got).toEqual({ text: '', reasoning: 'Hm.', calls: 1, thinksFirst: null });
  });

  it.each([
    ['no thought', 'The answer is 42.'],
    [
      'a thought with its beginning, and one in its words',
      '<think>Hm.</think>A <think> is a mark.',
    ],
  ])('is expected no more of a model after an answer with %s', (_what, text) => {
    for (const texts of everyCut(text)) {
      const got = heard(texts, { thinksFirst: true });
      expect(got).toMatchObject({ thinksFirst: false });
      expect(text.endsWith(got.text)).toBe(true);
      expect(got.text).not.toBe('');
    }
  });

  it('is a thought, too, where its tokens ran out', () => {
    const got = heard(['On and', ' on'], { thinksFirst: true, reason: 'length' });
    expect(got).toEqual({ text: '', reasoning: 'On and on', calls: 0, thinksFirst: null });
  });

  it.each([
    'It ends with </think>, its end.',
    'As code: `</think>`\nand on.',
    '```\n<think>\nHm.\n</think>\n```\nis how it looks.',
    'a </thin>\n b',
  ])('is not what only names the mark: %s', (text) => {
    for (const texts of [[text], ...everyCut(text), text.split('')])
      expect(heard(texts)).toEqual({ text, reasoning: '', calls: 0, thinksFirst: null });
  });
});

describe('a call in the text after a sentence', () => {
  const SENTENCE = 'Let me look at a < b.\n';
  const json = '{"name": "a", "arguments": {"at": 1, "of": "2"}}';
  const coder =
    '<function=a>\n<parameter=at>\n1\n</parameter>\n<parameter=of>\n2\n</parameter>\n</function>';
  const calls = [{ name: 'a', arguments: { at: 1, of: '2' } }];
  const called = (texts: readonly string[]) =>
    deltasOf(texts).flatMap((delta) =>
      delta.type === 'toolCall'
        ? [{ name: delta.name, arguments: JSON.parse(delta.arguments ?? '') }]
        : [],
    );

  it.each([
    ['JSON', `<tool_call>\n${json}\n</tool_call>`],
    ['functions with parameters', `<tool_call>\n${coder}\n</tool_call>`],
    ['a list', `[TOOL_CALLS] [${json}]`],
    ['a name and its arguments', '[TOOL_CALLS]a[ARGS]{"at": 1, "of": "2"}'],
  ])('is a call as %s, in whatever pieces it comes', (_form, written) => {
    const text = `${SENTENCE}${written}`;
    for (const texts of [[text], ...everyCut(text), text.split('')]) {
      expect(heard(texts)).toMatchObject({ text: SENTENCE, calls: 1 });
      expect(called(texts)).toEqual(calls);
    }
    expect(called([written, written])).toEqual([...calls, ...calls]);
  });

  it.each([
    ['as it is', (text: string) => text],
    ['inside the JSON of a tool', (text: string) => JSON.stringify({ events: [{ text }] })],
  ])('is a text where the model repeats what it was sent %s', (_how, inside) => {
    const text = `${SENTENCE}<tool_call>\n${json}\n</tool_call>`;
    const sent = { messages: [{ role: 'tool', content: inside(`Note: ${text}`) }] };
    expect(heard([text], { sent })).toMatchObject({ text, calls: 0 });
    const other = { messages: [{ role: 'tool', content: inside('Note: nothing') }] };
    expect(heard([text], { sent: other })).toMatchObject({ text: SENTENCE, calls: 1 });
  });

  it.each([
    'The mark <tool_call> begins a call.',
    `${SENTENCE}<tool_call>\n{"name": a}\n</tool_call>`,
    `${SENTENCE}\`\`\`\n<tool_call>\n${json}\n</tool_call>\n\`\`\``,
    `${SENTENCE}[TOOL_CALLS] none`,
    `${SENTENCE}<tool`,
  ])('is a text where it is none: %s', (text) => {
    for (const texts of [[text], ...everyCut(text), text.split('')])
      expect(heard(texts)).toMatchObject({ text, calls: 0 });
  });
});
