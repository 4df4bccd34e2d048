import type { App } from '../kernel/app/app.ts';
import { limited } from '../kernel/clock.ts';
import { isRecord } from './request/record.ts';

/** A quarter of the minute after which proxies cut a connection that says nothing. */
const SILENT_MS = 15_000;
const INTERNAL = -32_603;

/**
 * The answer to a call of 2026-07-28. One that takes long becomes a stream, with a comment whenever it was silent for
 * 15 s, where the client takes streams: its status is 200 then, and what would have had another one is an error in it.
 */
export async function streamWhenSlow(
  app: App,
  request: Request,
  body: unknown,
  answering: Promise<Response>,
): Promise<Response> {
  const isCall = request.headers.get('mcp-method')?.trim() === 'tools/call';
  const takesStream = (request.headers.get('accept') ?? '').includes('text/event-stream');
  if (!isCall || !takesStream) return answering;
  const early = await limited(app.clock, SILENT_MS, answering);
  if (early) return early;
  const id = isRecord(body) ? body['id'] : null;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void write(app, writable, id, answering);
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
  };
  return new Response(readable, { headers: { ...headers, 'x-accel-buffering': 'no' } });
}

async function write(
  app: App,
  writable: WritableStream<Uint8Array>,
  id: unknown,
  answering: Promise<Response>,
): Promise<void> {
  const writer = writable.getWriter();
  // A client that went away reads nothing any more; its call ends by its own signal.
  const say = (text: string): Promise<void> => writer.write(Buffer.from(text)).catch(() => {});
  const cancel = app.clock.every(SILENT_MS, () => say(': waiting\n\n'));
  try {
    void say(': waiting\n\n');
    await say(await eventsOf(await answering, id));
  } catch (error) {
    app.log.error({ error }, 'an MCP call failed after its answer had begun');
    await say(
      eventOf({ jsonrpc: '2.0', id, error: { code: INTERNAL, message: 'Internal error' } }),
    );
  } finally {
    cancel();
    await writer.close().catch(() => {});
  }
}

const eventOf = (message: unknown): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** An answer that is a stream already has its events. */
async function eventsOf(response: Response, id: unknown): Promise<string> {
  const text = await response.text();
  if (text === '' || response.headers.get('content-type')?.includes('event-stream')) return text;
  const message: unknown = JSON.parse(text);
  if (isRecord(message) && 'jsonrpc' in message) return eventOf(message);
  const said = isRecord(message) ? message['error_description'] : undefined;
  const error = { code: -32_000, message: typeof said === 'string' ? said : 'Refused' };
  return eventOf({ jsonrpc: '2.0', id, error });
}
