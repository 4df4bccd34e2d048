import { z } from 'zod';

import * as anthropic from '../../neighbours/anthropic-model.ts';
import * as chat from '../../neighbours/model.ts';
import { frame, type Reply, stream } from '../../neighbours/model.ts';

/** A tool as a program offers it to its model. */
export type Offered = {
  name: string;
  /** The group of tools that a call of it names beside it. */
  namespace?: string;
  properties: string[];
};

/** What a tool answered, in whatever wrapping, without the escapes of JSON inside JSON. */
export type Result = { callId: string; text: string };

/** What a program asks its model, in any dialect: the tools, and what they answered so far. */
export type Asked = { tools: Offered[]; results: Result[] };

/** A vendor's dialect from the side of the model. */
export type Wire = {
  path: RegExp;
  read(body: unknown): Asked;
  call(callId: string, tool: Offered, args: object): Reply;
  say(text: string): Reply;
};

const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });
const propertiesOf = (schema: unknown): string[] =>
  Object.keys(Schema.safeParse(schema).data?.properties ?? {});

const result = (callId: unknown, value: unknown): Result => ({
  callId: String(callId),
  text: JSON.stringify(value ?? null).replaceAll('\\', ''),
});

const Messages = z.looseObject({
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() }))
    .default([]),
  messages: z.array(z.looseObject({ content: z.unknown().optional() })),
});
const Parts = z.array(z.looseObject({ type: z.string() })).catch([]);

/** Anthropic's Messages. */
const messages: Wire = {
  path: /^\/v1\/messages\b(?!\/)/,
  read(body) {
    const sent = Messages.parse(body);
    return {
      tools: sent.tools.map(({ name, input_schema: schema }) => ({
        name,
        properties: propertiesOf(schema),
      })),
      results: sent.messages
        .flatMap(({ content }) => Parts.parse(content))
        .filter(({ type }) => type === 'tool_result')
        .map((part) => result(part['tool_use_id'], part)),
    };
  },
  call: (id, { name }, args) =>
    stream(
      anthropic.begin,
      ...anthropic.block(
        0,
        { type: 'tool_use', id, name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(args) },
      ),
      anthropic.end('tool_use'),
    ),
  say: anthropic.say,
};

const Completions = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }),
      }),
    )
    .default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
});

/** OpenAI's chat completions. */
const completions: Wire = {
  path: /^\/v1\/chat\/completions$/,
  read(body) {
    const sent = Completions.parse(body);
    return {
      tools: sent.tools.map(({ function: { name, parameters } }) => ({
        name,
        properties: propertiesOf(parameters),
      })),
      results: sent.messages
        .filter(({ role }) => role === 'tool')
        .map((message) => result(message['tool_call_id'], message)),
    };
  },
  call: (id, { name }, args) => {
    const wanted = { name, arguments: JSON.stringify(args) };
    const tool_calls = [{ index: 0, id, type: 'function', function: wanted }];
    return stream(
      frame({ id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', tool_calls } }] }),
      frame({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
      'data: [DONE]\n\n',
    );
  },
  say: chat.say,
};

const Named = z.looseObject({ name: z.string().optional(), parameters: z.unknown().optional() });
const Responses = z.looseObject({
  tools: z.array(Named.extend({ tools: z.array(Named).optional() })).default([]),
  input: z.array(z.looseObject({ type: z.string().optional(), output: z.unknown().optional() })),
});

const event = (type: string, fields: object): string =>
  `event: ${type}\n${frame({ type, ...fields })}`;
const responded = (item: object): Reply =>
  stream(
    event('response.created', { response: { id: 'resp_1' } }),
    event('response.output_item.added', { output_index: 0, item }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', {
      response: { id: 'resp_1', usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } },
    }),
  );

/** OpenAI's Responses. */
const responses: Wire = {
  path: /^\/v1\/responses$/,
  read(body) {
    const sent = Responses.parse(body);
    const offered = (tool: z.output<typeof Named>, namespace?: string): Offered => ({
      name: tool.name ?? '',
      ...(namespace !== undefined && { namespace }),
      properties: propertiesOf(tool.parameters),
    });
    return {
      tools: sent.tools.flatMap((tool) =>
        tool.tools ? tool.tools.map((inner) => offered(inner, tool.name)) : [offered(tool)],
      ),
      results: sent.input
        .filter(({ type }) => type === 'function_call_output')
        .map((item) => result(item['call_id'], item)),
    };
  },
  call: (id, { name, namespace }, args) =>
    responded({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: JSON.stringify(args),
    }),
  say: (text) =>
    responded({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    }),
};

const Contents = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              parametersJsonSchema: z.unknown().optional(),
              parameters: z.unknown().optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
  contents: z.array(
    z.looseObject({
      parts: z.array(z.looseObject({ functionResponse: z.unknown().optional() })).default([]),
    }),
  ),
});
const candidate = (part: object): Reply =>
  stream(
    frame({
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
    }),
  );

/** Gemini's content, streamed. */
const contents: Wire = {
  path: /:streamGenerateContent\b/,
  read(body) {
    const sent = Contents.parse(body);
    return {
      tools: sent.tools
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({
          name,
          properties: propertiesOf(parametersJsonSchema ?? parameters),
        })),
      results: sent.contents
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionResponse }) =>
          functionResponse === undefined ? [] : result('', functionResponse),
        ),
    };
  },
  call: (id, { name }, args) => candidate({ functionCall: { id, name, args } }),
  say: (text) => candidate({ text }),
};

export const wires: readonly Wire[] = [messages, completions, responses, contents];
