import {
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  specTypeSchemas,
} from '@modelcontextprotocol/server';

import { isRecord } from '../record.ts';

type Params = Record<string, unknown>;

const text = (params: Params, name: string): string | null =>
  typeof params[name] === 'string' ? null : `params.${name} has to be a text`;

const object = (params: Params, name: string): string | null =>
  params[name] === undefined || isRecord(params[name])
    ? null
    : `params.${name} has to be an object`;

type SpecType = (typeof specTypeSchemas)[keyof typeof specTypeSchemas];

/** What the protocol says of the parameters of a method. */
const as =
  (type: SpecType) =>
  (params: Params | undefined, method: string): string | null => {
    const found = type['~standard'].validate({ method, ...(params && { params }) });
    const [issue] = found instanceof Promise ? [] : (found.issues ?? []);
    if (!issue) return null;
    const path = (issue.path ?? []).map((step) =>
      String(typeof step === 'object' ? step.key : step),
    );
    return `${path.join('.')} ${wordsOf(issue.message)}`;
  };

function wordsOf(message: string): string {
  if (/expected string/.test(message)) return 'has to be a text';
  if (/expected (?:object|record)/.test(message)) return 'has to be an object';
  const [, options] = /^Invalid option: expected one of (.+)$/.exec(message) ?? [];
  return options === undefined ? `is wrong: ${message}` : `has to be one of ${options}`;
}

/** Of a method that 2026-07-28 does not have, which the library says of its requests (404). */
const ofSessions =
  (type: SpecType) =>
  (params: Params | undefined, method: string): string | null => {
    const meta = params?.['_meta'];
    return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta ? null : as(type)(params, method);
  };

const needed = (check: (params: Params) => string | null) => (params: Params | undefined) =>
  params === undefined ? 'params has to be an object' : check(params);

/** What is wrong with the parameters of a method, null where nothing is; absent ones are undefined. */
const checks: Record<string, (params: Params | undefined, method: string) => string | null> = {
  initialize: ofSessions(specTypeSchemas.InitializeRequest),
  'tools/list': as(specTypeSchemas.ListToolsRequest),
  'prompts/list': as(specTypeSchemas.ListPromptsRequest),
  'resources/list': as(specTypeSchemas.ListResourcesRequest),
  'resources/templates/list': as(specTypeSchemas.ListResourceTemplatesRequest),
  'resources/subscribe': ofSessions(specTypeSchemas.SubscribeRequest),
  'resources/unsubscribe': ofSessions(specTypeSchemas.UnsubscribeRequest),
  'logging/setLevel': ofSessions(specTypeSchemas.SetLevelRequest),
  'tools/call': needed((params) => text(params, 'name') ?? object(params, 'arguments')),
  'prompts/get': as(specTypeSchemas.GetPromptRequest),
  'resources/read': needed((params) => text(params, 'uri')),
  'skills/list': (params) => (params?.['cursor'] === undefined ? null : text(params, 'cursor')),
  'skills/get': needed((params) => text(params, 'uri')),
  'tasks/get': needed((params) => text(params, 'taskId')),
  'tasks/update': needed((params) => text(params, 'taskId')),
  'tasks/cancel': needed((params) => text(params, 'taskId')),
  'completion/complete': needed(({ ref, argument, context }) => {
    if (!isRecord(ref) || !['ref/prompt', 'ref/resource'].includes(String(ref['type'])))
      return 'params.ref has to be {type: "ref/prompt", name} or {type: "ref/resource", uri}';
    const wrongRef = text(ref, ref['type'] === 'ref/prompt' ? 'name' : 'uri');
    if (wrongRef) return wrongRef.replace('params.', 'params.ref.');
    const isArgument = isRecord(argument) && !text(argument, 'name') && !text(argument, 'value');
    return isArgument
      ? object({ context }, 'context')
      : 'params.argument has to be {name, value}, both texts';
  }),
};

/** Members of parameters whose nulls are not of the protocol. */
const OF_ANSWERS: ReadonlySet<string> = new Set(['inputResponses']);
const OF_CALLS: ReadonlySet<string> = new Set(['arguments', 'inputResponses']);

/**
 * A request as clients send it that write null for what they leave out, at any place of its parameters, the arguments of
 * a call as text, or those of a prompt as numbers. The arguments of tools have rules of their own.
 */
export function paramsAsMeant(body: unknown): unknown {
  if (!isRecord(body) || typeof body['method'] !== 'string') return body;
  const { params, method, ...rest } = body;
  if (params === null) return { ...rest, method };
  if (!isRecord(params)) return body;
  const given = withoutNulls(params, method === 'tools/call' ? OF_CALLS : OF_ANSWERS);
  if (given['arguments'] === null) delete given['arguments'];
  if (method === 'tools/call') given['arguments'] = recordIn(given['arguments']);
  if (method === 'prompts/get') given['arguments'] = textsIn(given['arguments']);
  if (given['arguments'] === undefined) delete given['arguments'];
  return { ...rest, method, params: given };
}

const withoutNulls = (given: Params, foreign: ReadonlySet<string>): Params =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null && !foreign.has(name)
        ? []
        : [[name, isRecord(value) && !foreign.has(name) ? withoutNulls(value, OF_ANSWERS) : value]],
    ),
  );

/** The object that a text is the JSON of; anything else as it is. */
function recordIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read: unknown = JSON.parse(value);
    return isRecord(read) ? read : value;
  } catch {
    return value;
  }
}

const textsIn = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          name,
          typeof one === 'number' || typeof one === 'boolean' ? String(one) : one,
        ]),
      )
    : value;

/**
 * The refusal (-32602) of a request whose parameters its method cannot take, null for others: the library's own
 * words are the JSON of a schema's errors, or an internal error.
 */
export function wrongParams(body: unknown): Response | null {
  if (!isRecord(body) || typeof body['method'] !== 'string') return null;
  const { method, params, id } = body;
  if (!Object.hasOwn(checks, method)) return null;
  const wrong =
    params === undefined || isRecord(params)
      ? checks[method]?.(params, method)
      : 'params has to be an object';
  if (!wrong) return null;
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Wrong parameters: ${wrong}` };
  const answers = typeof id === 'string' || typeof id === 'number' ? id : null;
  return Response.json({ jsonrpc: '2.0', id: answers, error });
}
