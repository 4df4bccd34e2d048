import type { ServerResponse } from 'node:http';

import { z } from 'zod';

import * as anthropic from '../../neighbours/anthropic-model.ts';
import { type FakeModel, frame, type Sent, startModel } from '../../neighbours/model.ts';
import { seeded } from '../../world/seeded.ts';
import { type Heard, type Said, saidTo, type Transcript } from './transcript.ts';

const LONGEST_PIECE = 48;

export type DialectName = 'openai' | 'anthropic';

/** A vendor that plays transcripts, its bytes cut at any place. */
export type Vendor = Pick<FakeModel<unknown>, 'baseUrl' | 'stop'> & {
  /** Plays this until it is set again; the first request begins it. */
  play(transcript: Transcript): void;
};

/** The same transcripts in each dialect, cut by the numbers of `seed`. */
export async function startVendor(dialect: DialectName, seed: number): Promise<Vendor> {
  const random = seeded(seed);
  let transcript: Transcript = [];
  let round = 0;
  const next = (heard: Heard): Said => {
    round += 1;
    return saidTo(transcript, round - 1, heard);
  };
  const fake = await (dialect === 'openai'
    ? startModel((sent) => fragmented(openAiBytes(next(heardBy(sent))), random))
    : anthropic.startAnthropicModel((sent) =>
        fragmented(anthropicBytes(next(heardByAnthropic(sent))), random),
      ));
  return {
    baseUrl: fake.baseUrl,
    stop: fake.stop,
    play(given) {
      transcript = given;
      round = 0;
    },
  };
}

const json = (text: string): unknown => JSON.parse(text) as unknown;

function heardBy({ messages }: Sent): Heard {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  return {
    text: messages.map(({ content }) => content ?? '').join('\n'),
    results: messages
      .slice(question + 1)
      .flatMap(({ role, content }) => (role === 'tool' ? [json(content ?? 'null')] : [])),
  };
}

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const Parts = z.union([z.string(), z.array(z.looseObject({ text: z.string() }))]);
const partText = (content: unknown): string => {
  const parts = Parts.parse(content);
  return typeof parts === 'string' ? parts : parts.map(({ text }) => text).join('');
};

function heardByAnthropic({ system, messages }: anthropic.AnthropicSent): Heard {
  const all = messages.map(({ content }) => content.map((part) => Part.parse(part)));
  const question = all.findLastIndex(
    (parts, index) => messages[index]?.role === 'user' && parts.some(({ type }) => type === 'text'),
  );
  const results = all
    .slice(question)
    .flatMap((parts) => parts.filter(({ type }) => type === 'tool_result'));
  return {
    text: [...(system ?? []), ...all.flat()]
      .map((part) => ('content' in part ? partText(part.content) : (part.text ?? '')))
      .join('\n'),
    results: results.map(({ content }) => json(partText(content))),
  };
}

const inputText = (input: object | string): string =>
  typeof input === 'string' ? input : JSON.stringify(input);

function openAiBytes(said: Said): string {
  const chunk = (delta: object, finish: string | null = null): string =>
    frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }] });
  const begin = chunk({ role: 'assistant', content: '' });
  const end = `${frame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}data: [DONE]\n\n`;
  if ('say' in said) {
    const words = (said.say.match(/\s*\S+/g) ?? []).map((content) => chunk({ content }));
    return `${begin}${words.join('')}${chunk({}, 'stop')}${end}`;
  }
  const calls = said.calls.map(([name, input], index) =>
    chunk({
      tool_calls: [
        {
          index,
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: inputText(input) },
        },
      ],
    }),
  );
  return `${begin}${calls.join('')}${chunk({}, 'tool_calls')}${end}`;
}

function anthropicBytes(said: Said): string {
  if ('say' in said) {
    const words = (said.say.match(/\s*\S+/g) ?? []).map((text) => ({ type: 'text_delta', text }));
    const text = anthropic.block(0, { type: 'text', text: '' }, ...words);
    return [anthropic.begin, ...text, anthropic.end('end_turn')].join('');
  }
  const calls = said.calls.flatMap(([name, input], index) =>
    anthropic.block(
      index,
      { type: 'tool_use', id: `call_${index}`, name, input: {} },
      { type: 'input_json_delta', partial_json: inputText(input) },
    ),
  );
  return [anthropic.begin, ...calls, anthropic.end('tool_use')].join('');
}

/** The bytes in pieces of any length, also within a character. */
function fragmented(text: string, random: () => number) {
  return async (res: ServerResponse): Promise<void> => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length;) {
      const to = from + 1 + Math.floor(random() * LONGEST_PIECE);
      res.write(bytes.subarray(from, to));
      from = to;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    res.end();
  };
}
