import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';

import { jsonRequest, type Request } from '../load.ts';

const PROTOCOL = '2026-07-28';

/** A request of the 2026-07-28 era: no session, everything the server needs in `_meta`. */
function request(method: string, params: { name?: string; arguments?: object }): Request {
  const whole = jsonRequest('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        [PROTOCOL_VERSION_META_KEY]: PROTOCOL,
        [CLIENT_INFO_META_KEY]: { name: 'bench', version: '1' },
        [CLIENT_CAPABILITIES_META_KEY]: {},
      },
    },
  });
  return {
    ...whole,
    headers: {
      ...whole.headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
  };
}

export const toolCall = (name: string, input: object): Request =>
  request('tools/call', { name, arguments: input });
export const call = toolCall('getCurrentTenantInfo', {});
export const list = request('tools/list', {});
