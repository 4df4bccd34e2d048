import { TAKEN_AS_TEXT } from '../../agentic/document/file-kind.ts';
import type { JsonSchema } from '../../kernel/input/json-schema.ts';

const text = { type: 'string' };
const NAME = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' };
const penalty = { type: 'number', minimum: -2, maximum: 2 };
const count = { type: 'integer', minimum: 1, maximum: 1_000_000 };
const type = (value: string): JsonSchema => ({ const: value });
const object = (required: string[], properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  required,
  properties,
  ...more,
});

const dataUri = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^data:[^,]{0,200};base64,',
  description,
});

const part: JsonSchema = {
  oneOf: [
    object(['type', 'text'], { type: type('text'), text }),
    object(['type', 'image_url'], {
      type: type('image_url'),
      image_url: object(['url'], {
        url: dataUri('PNG, JPEG, GIF or WebP, 8 MB; for models with the capability `vision`'),
        detail: { type: 'string', enum: ['low', 'high', 'auto'] },
      }),
    }),
    object(['type', 'file'], {
      type: type('file'),
      file: object(['file_data'], {
        file_data: dataUri(`${TAKEN_AS_TEXT}; 8 MB`),
        filename: text,
      }),
    }),
  ],
};

const message = object(['role'], {
  role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
  content: {
    oneOf: [text, { type: 'array', maxItems: 1_000, items: part }, { type: 'null' }],
    description: 'Images and files in messages of the role user only',
  },
  tool_calls: {
    type: 'array',
    maxItems: 128,
    items: object(['id', 'function'], {
      id: text,
      type: type('function'),
      function: object(['name', 'arguments'], { name: text, arguments: text }),
    }),
    description: "Of the assistant: its calls of the client's tools",
  },
  tool_call_id: { type: 'string', description: 'Of a tool: the call that this answers' },
});

const named = object(['type', 'function'], {
  type: type('function'),
  function: object(['name'], { name: NAME }),
});

const tools: JsonSchema = {
  tools: {
    type: 'array',
    maxItems: 128,
    description:
      "The client's own, which it runs itself; a name of a tool of the platform is a 400 (tool_name_conflict)",
    items: object(['type', 'function'], {
      type: type('function'),
      function: object(['name'], {
        name: NAME,
        description: text,
        parameters: { type: 'object', description: 'JSON Schema of the arguments' },
        strict: { type: 'boolean' },
      }),
    }),
  },
  tool_choice: {
    oneOf: [
      { type: 'string', enum: ['none', 'auto', 'required'] },
      named,
      object(['type', 'allowed_tools'], {
        type: type('allowed_tools'),
        allowed_tools: object(['mode', 'tools'], {
          mode: { type: 'string', enum: ['auto', 'required'] },
          tools: { type: 'array', minItems: 1, maxItems: 128, items: named },
        }),
      }),
    ],
    description: 'Of the first request to the model; none offers no tool, of the platform neither',
  },
  parallel_tool_calls: { type: 'boolean' },
};

const format: JsonSchema = {
  oneOf: [
    object(['type'], { type: type('text') }),
    object(['type'], { type: type('json_object') }),
    object(['type', 'json_schema'], {
      type: type('json_schema'),
      json_schema: object(['name', 'schema'], {
        name: NAME,
        schema: { type: 'object' },
        description: text,
        strict: { type: 'boolean' },
      }),
    }),
  ],
  description:
    'Of the last answer: tools run before it. What is not in it is in x_svc of the answer',
};

const sampling: JsonSchema = {
  n: { type: 'integer', const: 1, description: 'A turn has one answer' },
  reasoning: { type: 'boolean', description: 'Whether a model that can reason does' },
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  top_p: { type: 'number', minimum: 0, maximum: 1 },
  seed: { type: 'integer' },
  stop: {
    oneOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', maxItems: 4, items: { type: 'string', minLength: 1 } },
    ],
  },
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: {
    type: 'object',
    additionalProperties: { type: 'number', minimum: -100, maximum: 100 },
  },
  logprobs: { type: 'boolean' },
  top_logprobs: { type: 'integer', minimum: 0, maximum: 20 },
  verbosity: { type: 'string', enum: ['low', 'medium', 'high'] },
  reasoning_effort: {
    type: 'string',
    enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  },
  max_completion_tokens: count,
  max_tokens: { ...count, description: 'max_completion_tokens by its former name' },
};

const extension = {
  type: 'object',
  properties: {
    conversation_id: text,
    edit: {
      type: 'integer',
      description: 'Message index of the question that this one replaces',
    },
    regenerate: {
      type: 'integer',
      description: 'Message index of the question to be answered again',
    },
    resent: {
      type: 'boolean',
      description:
        'messages is the whole conversation as its client shows it: what is missing or other there begins a branch; or the header x-conversation-resent: true',
    },
    resumable: {
      type: 'boolean',
      description: 'The turn goes on without its client; see /chat/stream/{turnId}',
    },
  },
};

const fields: JsonSchema = {
  model: { type: 'string', description: 'Without it that of the conversation, else the default' },
  messages: { type: 'array', minItems: 1, maxItems: 500, items: message },
  stream: { type: 'boolean', default: false },
  stream_options: {
    type: 'object',
    properties: { include_usage: { type: 'boolean', description: 'In an additional last chunk' } },
  },
  ...tools,
  response_format: format,
  ...sampling,
  conversationId: {
    type: 'string',
    maxLength: 128,
    description: 'Or x_svc.conversation_id, or the header x-conversation-id',
  },
  store: {
    type: 'boolean',
    description: 'Without a conversation id: the turn is kept in a new conversation',
  },
  user: {
    type: 'string',
    maxLength: 128,
    description: 'The person behind the key, by whom usage is summed up',
  },
  metadata: {
    type: 'object',
    description: 'Kept nowhere; `task` (title_generation and the like) asks without tools',
  },
  attachments: {
    type: 'array',
    maxItems: 10,
    items: text,
    description: 'Ids of uploaded files',
  },
  x_svc: extension,
};

/** A request of POST /chat/completions. */
export const chatRequest = object(['messages'], fields, {
  description: 'Other fields are ignored; null is the same as a field left out',
});
