import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';

/** What servers that make a grammar of a schema cannot read, or only slowly; the platform checks values itself. */
const BOUNDS: ReadonlySet<string> = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'default',
  '$schema',
]);
/** Their keys are names of the schema's author. */
const NAMES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/** Copies a request without the bounds of values in its schemas and without `strict` of its tools. */
export function withPlainSchemas(body: ChatCompletionCreateParams): ChatCompletionCreateParams {
  const { tools, response_format: format } = body;
  return {
    ...body,
    ...(tools ? { tools: tools.map(plainTool) } : {}),
    ...(format?.type === 'json_schema'
      ? {
          response_format: {
            ...format,
            json_schema: { ...format.json_schema, schema: plainFields(format.json_schema.schema) },
          },
        }
      : {}),
  };
}

type Tool = NonNullable<ChatCompletionCreateParams['tools']>[number];

function plainTool(tool: Tool): Tool {
  if (tool.type !== 'function') return tool;
  const { strict: _strict, parameters, ...others } = tool.function;
  return { ...tool, function: { ...others, parameters: plainFields(parameters) } };
}

const plainFields = (schema: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !BOUNDS.has(name))
      .map(([name, value]) => [name, NAMES.has(name) ? plainNamed(value) : plain(value)]),
  );

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? plainFields(value) : value;
}

const plainNamed = (given: unknown): unknown =>
  isRecord(given)
    ? Object.fromEntries(Object.entries(given).map(([name, schema]) => [name, plain(schema)]))
    : given;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
