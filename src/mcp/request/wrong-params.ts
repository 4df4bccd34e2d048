import { PROTOCOL_VERSION_META_KEY, ProtocolErrorCode } from '@modelcontextprotocol/server';

import { isRecord } from './record.ts';

type Params = Record<string, unknown>;

const text = (params: Params, name: string): string | null =>
  typeof params[name] === 'string' ? null : `params.${name} has to be a text`;

const object = (params: Params, name: string): string | null =>
  params[name] === undefined || isRecord(params[name])
    ? null
    : `params.${name} has to be an object`;

/** What is wrong with the parameters of a method, null where nothing is. */
const checks: Record<string, (params: Params) => string | null> = {
  // 2026-07-28 has no such method (404), which the library says.
  initialize: (params) =>
    isRecord(params['_meta']) && PROTOCOL_VERSION_META_KEY in params['_meta']
      ? null
      : (text(params, 'protocolVersion') ??
        object({ capabilities: null, ...params }, 'capabilities') ??
        object({ clientInfo: null, ...params }, 'clientInfo')),
  'tools/call': (params) => text(params, 'name') ?? object(params, 'arguments'),
  'prompts/get': (params) => text(params, 'name') ?? object(params, 'arguments'),
  'resources/read': (params) => text(params, 'uri'),
  'tasks/get': (params) => text(params, 'taskId'),
  'tasks/update': (params) => text(params, 'taskId'),
  'tasks/cancel': (params) => text(params, 'taskId'),
  'completion/complete': ({ ref, argument }) => {
    if (!isRecord(ref) || !['ref/prompt', 'ref/resource'].includes(String(ref['type'])))
      return 'params.ref has to be {type: "ref/prompt", name} or {type: "ref/resource", uri}';
    const wrongRef = text(ref, ref['type'] === 'ref/prompt' ? 'name' : 'uri');
    if (wrongRef) return wrongRef.replace('params.', 'params.ref.');
    const isArgument = isRecord(argument) && !text(argument, 'name') && !text(argument, 'value');
    return isArgument ? null : 'params.argument has to be {name, value}, both texts';
  },
};

/** A request as clients send it that write null for what they leave out: parameters, and the arguments of a call. */
export function withoutNullParams(body: unknown): unknown {
  if (!isRecord(body) || typeof body['method'] !== 'string') return body;
  const { params, ...rest } = body;
  if (params === undefined) return body;
  if (params === null) return rest;
  if (!isRecord(params) || params['arguments'] !== null) return body;
  const { arguments: _none, ...given } = params;
  return { ...rest, params: given };
}

/**
 * The refusal (-32602) of a request whose parameters its method cannot take, null for others: the library's own
 * words are the JSON of a schema's errors, or an internal error.
 */
export function wrongParams(body: unknown): Response | null {
  if (!isRecord(body) || typeof body['method'] !== 'string') return null;
  const { method, params, id } = body;
  if (!Object.hasOwn(checks, method)) return null;
  const wrong = isRecord(params) ? checks[method]?.(params) : 'params has to be an object';
  if (!wrong) return null;
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Wrong parameters: ${wrong}` };
  const answers = typeof id === 'string' || typeof id === 'number' ? id : null;
  return Response.json({ jsonrpc: '2.0', id: answers, error });
}
