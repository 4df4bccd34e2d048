import { describe, expect, it } from 'vitest';

import type { FinishReason, ModelDelta } from '../../providers/request/provider.ts';
import { wordsOf } from '../../providers/request/words.ts';

/** What is heard of texts; `finish` with what they showed. */
function heard(
  texts: readonly string[],
  { thinksFirst = false, reason = 'stop' }: { thinksFirst?: boolean; reason?: FinishReason } = {},
) {
  const words = wordsOf({ hasTools: true, thinksFirst });
  const got = { text: '', reasoning: '', calls: 0, thinksFirst: null as boolean | null };
  const given: ModelDelta[] = [
    ...texts.map((text): ModelDelta => ({ type: 'text', text })),
    { type: 'finish', reason },
  ];
  for (const delta of given.flatMap((one) => words.take(one))) {
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
