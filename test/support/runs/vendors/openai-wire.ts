import { type Behaviour, type Expected, TEXT } from './behaviour.ts';
import type { Json } from './odd.ts';
import { sends, sendsJson } from './sending.ts';

export const DONE = 'data: [DONE]\n\n';
export const frame = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
export const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};

export const chunk = (delta: Json, finish: string | null = null, index = 0): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'zoo',
  system_fingerprint: 'fp',
  service_tier: 'default',
  choices: [{ index, delta, logprobs: null, finish_reason: finish }],
  usage: null,
});
export const whole = (message: { [name: string]: Json }, finish: string | null = 'stop'): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'zoo',
  system_fingerprint: 'fp',
  service_tier: 'default',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', refusal: null, annotations: [], ...message },
      logprobs: null,
      finish_reason: finish,
    },
  ],
  usage,
});
export const lastChunk: Json = { ...Object(chunk({})), choices: [], usage };

export const words = TEXT.match(/\s*\S+/g) ?? [];
export const begin = chunk({ role: 'assistant', content: '' });
export const says = words.map((content) => chunk({ content }));
export const end = chunk({}, 'stop');
export const chunks: Json[] = [begin, ...says, end, lastChunk];
export const events = (all: readonly Json[]): string[] => [...all.map(frame), DONE];

export type Case = { name: string; expected: Expected; json?: Json; chunks?: readonly Json[] };

/** The same answer as JSON and as events. */
export const cases = (rule: string, given: readonly Case[]): Behaviour[] =>
  given.flatMap(({ name, expected, json, chunks: all }): Behaviour[] => [
    ...(json === undefined
      ? []
      : [
          { rule, name: `JSON, ${name}`, kind: 'text' as const, expected, reply: sendsJson(json) },
          {
            rule,
            name: `JSON without streaming, ${name}`,
            kind: 'text' as const,
            expected,
            streams: false,
            reply: sendsJson(json),
          },
        ]),
    ...(all === undefined
      ? []
      : [
          {
            rule,
            name: `events, ${name}`,
            kind: 'text' as const,
            expected,
            reply: sends(events(all)),
          },
        ]),
  ]);
