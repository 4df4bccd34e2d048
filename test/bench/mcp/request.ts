import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';

const PROTOCOL = '2026-07-28';

/** One JSON-RPC request as it goes over the wire, the same bytes every time. */
export type Request = { headers: Record<string, string>; body: string };

/** A request of the 2026-07-28 era: no session, everything the server needs in `_meta`. */
export function request(method: string, params: { name?: string; arguments?: object }): Request {
  const body = JSON.stringify({
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
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body,
  };
}
