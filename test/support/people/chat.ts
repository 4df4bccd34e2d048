import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import { z } from 'zod';

import { withoutFacts } from '../../../src/agentic/session/facts.ts';
import type { Session } from './session.ts';

const PATH = '/api/v3/agentic/chat/completions';
const TIMEOUT_MS = 30_000;

const Card = z.looseObject({ actionId: z.string(), digest: z.string(), status: z.string() });
const Extension = z.looseObject({
  v: z.literal(1),
  seq: z.number(),
  type: z.string(),
  conversation_id: z.string().nullish(),
  code: z.string().optional(),
  card: Card.optional(),
});

const Call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const Logprobs = z.object({
  content: z.array(z.looseObject({ token: z.string() })),
  refusal: z.null(),
});

export const Completion = z.object({
  id: z.string().regex(/^chatcmpl-[0-9a-f]{24}$/),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.tuple([
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(Call).optional(),
      }),
      logprobs: Logprobs.nullable(),
      finish_reason: z.string(),
    }),
  ]),
  usage: z.object({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
  }),
  x_svc: z.object({
    v: z.literal(1),
    conversation_id: z.string().nullable(),
    events: z.array(Extension),
    pending_actions: z.array(Card),
    warnings: z.array(z.string()),
    usage_estimated: z.boolean().optional(),
  }),
});

export const Chunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.number().int(),
  model: z.string(),
  choices: z
    .array(
      z.strictObject({
        index: z.literal(0),
        delta: z.strictObject({
          role: z.literal('assistant').optional(),
          content: z.string().optional(),
          refusal: z.string().optional(),
          reasoning_content: z.string().optional(),
          annotations: z.array(z.unknown()).optional(),
          tool_calls: z.array(Call.extend({ index: z.number() })).optional(),
        }),
        logprobs: Logprobs.nullable(),
        finish_reason: z.string().nullable(),
      }),
    )
    .max(1),
  usage: z.record(z.string(), z.number()).nullish(),
  x_svc: Extension.optional(),
});

export const ErrorBody = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    retry_after: z.number().optional(),
  }),
});

/** An answer in words, and after it the line of facts. */
export const withFacts = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^${RegExp.escape(text)}\\n\\n> proposed [^\\n]*\\n$`));

const post = (session: Session, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${session.base}${PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...session.headers, ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

export const question = (content: string, more: object = {}) => ({
  messages: [{ role: 'user', content }],
  ...more,
});

/** Status and body, whatever they are. */
export async function chatAnswer(session: Session, body: unknown, headers = {}) {
  const response = await post(session, body, headers);
  const json: unknown = await response.json();
  return { status: response.status, body: json, headers: response.headers };
}

/** A turn as one JSON answer; throws when it is not a completion. */
export async function chat(session: Session, content: string, more: object = {}) {
  const { status, body } = await chatAnswer(session, question(content, more));
  if (status !== 200) throw new Error(`chat answered ${status}: ${JSON.stringify(body)}`);
  const completion = Completion.parse(body);
  return {
    // Without the line of facts, which `completion` has.
    text: withoutFacts(completion.choices[0].message.content ?? ''),
    conversationId: completion.x_svc.conversation_id ?? '',
    events: completion.x_svc.events,
    pending: completion.x_svc.pending_actions,
    completion,
  };
}

/** The `data` of each frame of a streamed turn, and the whole body. */
export async function chatFrames(session: Session, content: string, more: object = {}) {
  const response = await post(session, question(content, { stream: true, ...more }));
  const raw = await response.text();
  const data: string[] = [];
  const named: string[] = [];
  createParser({
    onEvent(event) {
      data.push(event.data);
      if (event.event !== undefined) named.push(event.event);
    },
  }).feed(raw);
  return { status: response.status, headers: response.headers, data, named, raw };
}
