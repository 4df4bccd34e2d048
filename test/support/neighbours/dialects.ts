import { providers } from '../../../providers/index.ts';
import type { OpenProvider } from '../../../providers/request/provider.ts';
import * as anthropic from './anthropic-model.ts';
import * as openai from './model.ts';
import { type FakeModel, frame, type Reply } from './model.ts';

/** A vendor's dialect as its fake speaks it, in pieces that mean the same in every dialect. */
export type Dialect = {
  open: OpenProvider;
  start(reply: Reply): Promise<FakeModel<unknown>>;
  say(text: string): Reply;
  call(...calls: [name: string, args: string | object][]): Reply;
  begin: string;
  /** Text inside an answer that has begun. */
  text(content: string): string;
  /** The end of an answer whose only block is text. */
  end: string;
  /** An error inside an answer. */
  failure(message: string): string;
  /** "whole", cut at the length limit, 3 tokens in and 4 out, as one JSON answer. */
  json: string;
};

const delta = (content: string, finish: string | null = null) =>
  frame({ id: 'c1', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

export const dialects = {
  'openai-compatible': {
    open: providers['openai-compatible'],
    start: (reply) => openai.startModel(() => reply),
    say: openai.say,
    call: openai.call,
    begin: frame({ id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
    text: (content) => delta(content),
    end: `${delta('', 'stop')}data: [DONE]\n\n`,
    failure: (message) => frame({ error: { message, type: 'server_error' } }),
    json: JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    }),
  },
  anthropic: {
    open: providers.anthropic,
    start: (reply) => anthropic.startAnthropicModel(() => reply),
    say: anthropic.say,
    call: anthropic.call,
    begin:
      anthropic.begin +
      anthropic.event('content_block_start', {
        index: 0,
        content_block: { type: 'text', text: '' },
      }),
    text: (content) =>
      anthropic.event('content_block_delta', {
        index: 0,
        delta: { type: 'text_delta', text: content },
      }),
    end: anthropic.event('content_block_stop', { index: 0 }) + anthropic.end('end_turn'),
    failure: (message) =>
      anthropic.event('error', { error: { type: 'overloaded_error', message } }),
    json: JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'whole' }],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 3, output_tokens: 4 },
    }),
  },
} as const satisfies Record<string, Dialect>;

export const everyDialect: [name: string, dialect: Dialect][] = Object.entries(dialects);
