import { z } from 'zod';

import type { Tool } from '../../../src/kernel/app/app.ts';
import type { Content, Exchange, Question, Reply } from '../../../src/kernel/app/exchange.ts';
import { READS } from '../../../tools/shape/define.ts';

/** A permission that every role of the tests has. */
export const PERMISSION = 'svc-center-manager:device:list';

export const text = (words: string): Content[] => [{ type: 'text', text: words }];
export const said = (content: Content[]): Reply => ({ kind: 'content', content, structured: {} });
/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A header and no sample. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Answer = (exchange: Exchange, input: Record<string, unknown>) => Promise<Reply> | Reply;

/** A tool that the official suite wants under this name. */
export const fixture = (
  name: string,
  answer: Answer,
  more: { input?: z.ZodObject; onlyAsTask?: boolean } = {},
): Tool => {
  const input = more.input ?? z.object({});
  return {
    name,
    title: name,
    domain: 'System',
    description: `Fixture ${name} of the conformance suite.`,
    permission: PERMISSION,
    scope: 'svc:read',
    input,
    output: z.object({}),
    listed: 'direct' as const,
    annotations: READS,
    ...(more.onlyAsTask && { onlyAsTask: true }),
    run: () => Promise.resolve({}),
    reply: async (_app, _caller, given, exchange) => answer(exchange, input.parse(given)),
  };
};

export const asks = (questions: Record<string, Question>, state?: unknown): Reply => ({
  kind: 'questions',
  questions,
  state,
});

export const form = (message: string, properties: Record<string, object>): Question => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  },
});

export const sample = (words: string, maxTokens = 100): Question => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
});

export const roots: Question = { method: 'roots/list', params: {} };

/** A text under `path` in what the client answered; undefined for anything else. */
export function answered(answer: unknown, ...path: string[]): string | undefined {
  let value = answer;
  for (const name of path) {
    const inside = z.record(z.string(), z.unknown()).safeParse(value);
    if (!inside.success) return undefined;
    value = inside.data[name];
  }
  return typeof value === 'string' ? value : undefined;
}
