import { z } from 'zod';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';
const Answer = z.looseObject({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});

type Params = Record<string, unknown>;
type Said = z.infer<typeof Answer> & { status: number; notices: Params[] };
export type Ask = (method: string, params?: Params, meta?: Params) => Promise<Said>;

/** Sends requests of 2026-07-28 as they look on the wire, from a client with these capabilities. */
export const asking =
  (base: string, bearer: string, capabilities: object = {}, signal?: AbortSignal): Ask =>
  async (method, params = {}, meta = {}) => {
    const named = params['name'] ?? params['uri'] ?? params['taskId'];
    const response = await fetch(`${base}/mcp`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof named === 'string' && { 'mcp-name': named }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            [`${META}/protocolVersion`]: REVISION,
            [`${META}/clientCapabilities`]: capabilities,
            ...meta,
          },
        },
      }),
    });
    const text = await response.text();
    const messages = response.headers.get('content-type')?.includes('event-stream')
      ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']): unknown => JSON.parse(data))
      : [JSON.parse(text)];
    const notices = messages
      .slice(0, -1)
      .map((one) => z.record(z.string(), z.unknown()).parse(one));
    return { ...Answer.parse(messages.at(-1)), status: response.status, notices };
  };
