import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { App } from '../../app.ts';
import { AppError, NotAuthenticated } from '../../core/errors.ts';
import type { McpCall } from '../caller.ts';
import { MAX_URIS, subscribe } from './subscription.ts';

const KEEP_ALIVE_MS = 15_000;
/** Of at most MAX_URIS notices each; what comes while they wait is kept as one notice for each URI. */
const MAX_CHUNKS = 4;

const Asked = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({
    notifications: z.object({
      resourceSubscriptions: z.array(z.string().max(1_024)).max(MAX_URIS).default([]),
    }),
  }),
});

const frame = (message: object): Buffer =>
  Buffer.from(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);

export const asksToListen = (request: Request): boolean =>
  request.headers.get('mcp-method') === 'subscriptions/listen';

const NoRoom = z.object({ error: z.object({ code: z.literal(-32_603) }) });

/**
 * Whether the protocol's library found envelope, headers and revision of a `subscriptions/listen` right: without room
 * for streams of its own, it answers a right one with this error.
 */
export const isRightListen = async (checked: Response): Promise<boolean> =>
  checked.status === 200 && NoRoom.safeParse(await checked.clone().json()).success;

/**
 * Answers `subscriptions/listen` (2026-07-28) with a stream of `notifications/resources/updated`, by us and not by the
 * protocol's library, which tells every listener of every URI. A slow client is cut.
 */
export async function listen(
  app: App,
  request: Request,
  call: McpCall,
  body: unknown,
): Promise<Response> {
  const asked = Asked.safeParse(body);
  if (!asked.success)
    return refusal(
      body,
      -32_602,
      `params.notifications.resourceSubscriptions must be a list of at most ${MAX_URIS} URIs`,
    );
  const { id, params } = asked.data;
  const tag = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
  const stream = openStream(app, frame({ id, result: { resultType: 'complete', ...tag } }));
  try {
    const subscription = subscribe(app, call, {
      updated: (uris) =>
        stream.write(
          Buffer.concat(
            uris.map((uri) =>
              frame({ method: 'notifications/resources/updated', params: { uri, ...tag } }),
            ),
          ),
        ),
      ended: () => stream.end(),
    });
    stream.onClose(subscription.end);
    stream.onRoom(subscription.flush);
    request.signal.addEventListener('abort', subscription.end, { once: true });
    const { resourceSubscriptions } = params.notifications;
    const honored = await call
      .present((caller) => subscription.take(caller, resourceSubscriptions))
      .catch((error: unknown) => {
        subscription.end();
        throw error;
      });
    const notifications = honored.length > 0 ? { resourceSubscriptions: honored } : {};
    stream.write(
      frame({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, ...tag },
      }),
    );
    if (honored.length === 0) subscription.end();
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof NotAuthenticated) throw error;
    return refusal(body, -32_603, error.message);
  }
  return new Response(stream.readable, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

function openStream(app: App, last: Buffer) {
  let control: ReadableStreamDefaultController<Uint8Array> | null = null;
  let close = (): void => {};
  let room = (): void => {};
  let isStalled = false;
  const isFull = (): boolean => (control?.desiredSize ?? 0) <= 0;
  const readable = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
      },
      pull: () => {
        isStalled = false;
        room();
      },
      cancel: () => close(),
    },
    { highWaterMark: MAX_CHUNKS },
  );
  const stop = app.clock.every(KEEP_ALIVE_MS, () => {
    if (!isFull()) return control?.enqueue(Buffer.from(': keep-alive\n\n'));
    // Full since the last time.
    if (isStalled) close();
    isStalled = true;
    return undefined;
  });
  return {
    readable,
    onClose: (run: () => void) => (close = run),
    onRoom: (run: () => void) => (room = run),
    /** False while the client does not read. */
    write(bytes: Buffer): boolean {
      if (isFull()) return false;
      control?.enqueue(bytes);
      return true;
    },
    end(): void {
      stop();
      if (!isFull()) control?.enqueue(last);
      try {
        control?.close();
      } catch {
        // The client has left, which closed it.
      }
      control = null;
    },
  };
}

function refusal(body: unknown, code: number, message: string): Response {
  const { id = null } = Asked.pick({ id: true }).safeParse(body).data ?? {};
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
}
