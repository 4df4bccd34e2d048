import type { IncomingMessage, ServerResponse } from 'node:http';

import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { AppError, NotAuthenticated } from '../../kernel/errors.ts';
import { openStream } from '../../kernel/request/event-stream.ts';
import type { McpCall } from '../request/caller.ts';
import { MAX_URIS, subscribe } from './subscription.ts';

const Asked = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({
    notifications: z.object({
      resourceSubscriptions: z.array(z.string().max(1_024)).max(MAX_URIS).default([]),
    }),
  }),
});

export const asksToListen = ({ headers }: IncomingMessage): boolean =>
  headers['mcp-method'] === 'subscriptions/listen';

const NoRoom = z.object({ error: z.object({ code: z.literal(-32_603) }) });

/**
 * Whether the protocol's library found envelope, headers and revision of a `subscriptions/listen` right: without room
 * for streams of its own, it answers a right one with this error.
 */
export const isRightListen = async (checked: Response): Promise<boolean> =>
  checked.status === 200 && NoRoom.safeParse(await checked.clone().json()).success;

/**
 * Answers `subscriptions/listen` (2026-07-28) with a stream of `notifications/resources/updated` on `response`, by us and
 * not by the protocol's library, which tells every listener of every URI; or with the refusal that it returns. Nothing
 * of the request lives as long as the stream but what identifies the caller.
 */
export async function listen(
  app: App,
  call: McpCall,
  body: unknown,
  response: ServerResponse,
): Promise<Response | null> {
  const asked = Asked.safeParse(body);
  if (!asked.success)
    return refusal(
      body,
      -32_602,
      `params.notifications.resourceSubscriptions must be a list of at most ${MAX_URIS} URIs`,
    );
  const { id, params } = asked.data;
  try {
    await streamTo(app, call, { id, uris: params.notifications.resourceSubscriptions }, response);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof NotAuthenticated) throw error;
    return refusal(body, -32_603, error.message);
  }
}

/** Throws before the response has begun. */
async function streamTo(
  app: App,
  call: McpCall,
  { id, uris }: { id: string | number; uris: readonly string[] },
  response: ServerResponse,
): Promise<void> {
  const tag = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
  const subscription = subscribe(app, call, {
    updated: (changed) =>
      stream.write(
        framed(
          changed.map((uri) => ({
            method: 'notifications/resources/updated',
            params: { uri, ...tag },
          })),
        ),
      ),
    ended: () => stream.end(framed([{ id, result: { resultType: 'complete', ...tag } }])),
  });
  const { flush, end } = subscription;
  const stream = openStream(app.clock, response, { room: flush, closed: end });
  const honored = await call
    .present((caller) => subscription.take(caller, uris))
    .catch((error: unknown) => {
      end();
      throw error;
    });
  if (response.closed) return end();
  stream.begin();
  const notifications = honored.length > 0 ? { resourceSubscriptions: honored } : {};
  const params = { notifications, ...tag };
  stream.write(framed([{ method: 'notifications/subscriptions/acknowledged', params }]));
  if (honored.length === 0) end();
  else flush();
}

function refusal(body: unknown, code: number, message: string): Response {
  const { id = null } = Asked.pick({ id: true }).safeParse(body).data ?? {};
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
}

const framed = (messages: readonly object[]): string =>
  messages
    .map((message) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    .join('');
