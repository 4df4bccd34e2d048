import { describe, expect, it } from 'vitest';

import type { ModelMessage } from '../../providers/request/provider.ts';
import { refusal, VendorRefusal } from '../../providers/request/refusal.ts';
import {
  newContext,
  pastTurnsIn,
  pastTurnsWithin,
  withPastTurns,
} from '../../src/agentic/provider/ask/shorten.ts';

type Media = NonNullable<Extract<ModelMessage, { role: 'user' }>['media']>;

const turns = (count: number, media?: Media): ModelMessage[] => [
  ...Array.from({ length: count }, (_, at): ModelMessage[] => [
    { role: 'user', content: `question ${at}`.padEnd(200), ...(media && { media }) },
    { role: 'assistant', content: `answer ${at}`.padEnd(200) },
  ]).flat(),
  { role: 'user', content: 'now' },
];
const request = (messages: readonly ModelMessage[]) => ({ messages, tools: [] });
const half = (messages: readonly ModelMessage[]) =>
  request(withPastTurns(messages, Math.floor(pastTurnsIn(messages) / 2)));

describe('the past turns that a context holds', () => {
  it('are the last ones, as many as fit, of thousands as well', () => {
    const messages = turns(5_000);
    expect(pastTurnsWithin(1_000_000, request(messages))).toBeNull();
    const count = pastTurnsWithin(4_000, request(messages)) ?? 0;
    expect(count).toBeGreaterThan(20);
    const fits = (past: number): boolean =>
      pastTurnsWithin(4_000, request(withPastTurns(messages, past))) === null;
    expect([fits(count), fits(count + 1)]).toEqual([true, false]);
    expect(pastTurnsWithin(1, request(messages))).toBe(0);
  });
});

describe('the context of a model', () => {
  const learned = (text: string, messages: readonly ModelMessage[], status = 400) => {
    const context = newContext();
    const isTaken = context.takes(refusal(new VendorRefusal(status, text)), request(messages));
    return { isTaken, tokens: context.tokensOf(half(messages)) };
  };
  const picture: Media = [{ kind: 'image', mediaType: 'image/png', base64: 'AA==' }];

  it('is what its vendor names, or what took a part of the turns', () => {
    const messages = turns(40);
    expect(learned("This model's maximum context length is 4096 tokens", messages).tokens).toBe(
      4_096,
    );
    const { tokens } = learned('context_length_exceeded', messages);
    expect(pastTurnsWithin(tokens ?? 0, half(messages))).toBeNull();
    expect(pastTurnsWithin(tokens ?? 0, request(messages))).not.toBeNull();
  });

  it.each([
    ['pictures were among what was refused', turns(40, picture), 'context_length_exceeded', 400],
    [
      'the limit is one of a minute',
      turns(40),
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000',
      413,
    ],
  ])('is not learned where %s', (_what, messages, text, status) => {
    expect(learned(text, messages, status)).toEqual({ isTaken: true, tokens: null });
  });
});
