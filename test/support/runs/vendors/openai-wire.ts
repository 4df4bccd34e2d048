import { TEXT } from './behaviour.ts';
import type { Json } from './odd.ts';
import { casesAs } from './sending.ts';

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

export const cases = casesAs(events);
