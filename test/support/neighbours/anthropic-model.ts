import { z } from 'zod';

import { type FakeModel, type Reply, startFake, stream } from './model.ts';

const cache_control = z.strictObject({ type: z.literal('ephemeral') }).optional();
const TextPart = z.strictObject({
  cache_control,
  type: z.literal('text'),
  text: z.string().regex(/\S/),
});
const ImagePart = z.strictObject({
  cache_control,
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.base64(),
  }),
});
const DocumentPart = z.strictObject({
  cache_control,
  type: z.literal('document'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.literal('application/pdf'),
    data: z.base64(),
  }),
  title: z.string().optional(),
});
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  input: z.record(z.string(), z.unknown()),
});
const Thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
});
const Redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolResult = z.strictObject({
  cache_control,
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(TextPart)]),
});
const Turn = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([TextPart, ToolResult, ImagePart, DocumentPart])),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([TextPart, ToolUse, Thinking, Redacted])),
  }),
]);

/** What the Messages endpoint takes; strict, so that a field it does not know is 400 as with the vendor. */
const Sent = z
  .strictObject({
    model: z.string(),
    max_tokens: z.number().int().min(1),
    stream: z.boolean(),
    system: z.array(TextPart).min(1).optional(),
    messages: z.array(Turn).min(1),
    tools: z
      .array(
        z.strictObject({
          cache_control,
          name: z.string(),
          description: z.string().optional(),
          strict: z.boolean().optional(),
          input_schema: z.looseObject({ type: z.literal('object') }),
        }),
      )
      .optional(),
    tool_choice: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('none') }),
        z.strictObject({
          type: z.enum(['auto', 'any']),
          disable_parallel_tool_use: z.boolean().optional(),
        }),
        z.strictObject({
          type: z.literal('tool'),
          name: z.string(),
          disable_parallel_tool_use: z.boolean().optional(),
        }),
      ])
      .optional(),
    stop_sequences: z.array(z.string().min(1)).optional(),
    thinking: z.strictObject({ type: z.literal('disabled') }).optional(),
    output_config: z
      .strictObject({
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
        format: z
          .strictObject({
            type: z.literal('json_schema'),
            schema: z.record(z.string(), z.unknown()),
          })
          .optional(),
      })
      .optional(),
  })
  .superRefine(({ messages, tools }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    let asked: string[] = [];
    for (const [at, { role, content }] of messages.entries()) {
      if (role !== (at % 2 === 0 ? 'user' : 'assistant')) refuse('roles must alternate');
      if (content.length === 0) refuse('content must not be empty');
      const results = content.flatMap((part) =>
        part.type === 'tool_result' ? part.tool_use_id : [],
      );
      if (asked.toSorted().join() !== results.toSorted().join())
        refuse('each tool_use must have its tool_result in the next message');
      asked = content.flatMap((part) => (part.type === 'tool_use' ? part.id : []));
      if (asked.length > 0 && !tools) refuse('tool_use needs tools to be defined');
    }
  });
export type AnthropicSent = z.infer<typeof Sent>;
export type AnthropicModel = FakeModel<AnthropicSent> & { versions: (string | undefined)[] };

/** Anthropic's Messages, as strict about a request as the vendor. */
export async function startAnthropicModel(
  reply: (sent: AnthropicSent, round: number) => Reply,
): Promise<AnthropicModel> {
  const versions: (string | undefined)[] = [];
  const fake = await startFake(
    {
      read(body, headers, path) {
        versions.push(String(headers['anthropic-version']));
        if (headers['x-api-key']) throw new Error('since 2026-10-21 the key is a bearer token');
        if (path !== '/v1/messages') throw new Error(`there is no ${path}`);
        return Sent.parse(body);
      },
      keyOf: (headers) => headers.authorization,
      models: {
        data: ['claude-a', 'claude-b'].map((id) => ({ type: 'model', id, display_name: id })),
        has_more: false,
        first_id: 'claude-a',
        last_id: 'claude-b',
      },
      refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    },
    reply,
  );
  return { ...fake, baseUrl: fake.baseUrl.replace(/\/v1$/, ''), versions };
}

/** An event as the vendor frames it: named, and with its type in the data. */
export const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const usage = { input_tokens: 7, cache_creation_input_tokens: 1, cache_read_input_tokens: 2 };

export const begin = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-a',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  },
});

export const end = (reason: string, more: object = {}): string =>
  event('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    usage: { output_tokens: 5 },
  }) + event('message_stop');

/** A content block: how it starts, and its deltas. */
export const block = (index: number, start: object, ...deltas: object[]): string[] => [
  event('content_block_start', { index, content_block: start }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
];

const words = (index: number, text: string): string[] =>
  block(
    index,
    { type: 'text', text: '' },
    ...(text.match(/\s*\S+/g) ?? []).map((word) => ({ type: 'text_delta', text: word })),
  );

/** Says `text`, one word per delta. */
export const say = (text: string): Reply =>
  stream(begin, event('ping'), ...words(0, text), end('end_turn'));

/** Asks for tools, the arguments of each in two fragments. */
export const call = (...calls: [name: string, args: string | object][]): Reply =>
  stream(
    begin,
    ...words(0, 'Let me see.'),
    ...calls.flatMap(([name, args], at) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const half = Math.floor(text.length / 2);
      const start = { type: 'tool_use', id: `toolu_${at}`, name, input: {} };
      const fragment = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
      return block(at + 1, start, fragment(text.slice(0, half)), fragment(text.slice(half)));
    }),
    end('tool_use'),
  );

/** The results of tools that the last message of a request carries. */
export const resultsIn = (sent: AnthropicSent | undefined): unknown[] =>
  (sent?.messages.at(-1)?.content ?? []).flatMap((part) => {
    if (part.type !== 'tool_result') return [];
    const text = typeof part.content === 'string' ? part.content : (part.content[0]?.text ?? '');
    return [JSON.parse(text) as unknown];
  });
