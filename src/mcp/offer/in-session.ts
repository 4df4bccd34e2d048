import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';

import type { App } from '../../kernel/app/app.ts';
import type { McpCall } from '../request/caller.ts';
import { subscriptions } from './of-sessions.ts';
import { MAX_URIS, subscribe } from './subscription.ts';

/** `resources/subscribe`: notices go to the stream of the session. A URI that may not be read does not exist. */
export async function subscribeIn(
  app: App,
  server: Server,
  call: McpCall,
  uri: string,
): Promise<void> {
  const before = subscriptions.get(server);
  const uris = new Set(before?.uris()).add(uri);
  if (uris.size > MAX_URIS)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `A session takes ${MAX_URIS} subscriptions at most`,
    );
  const subscription = subscribe(app, call, {
    updated(changed) {
      for (const one of changed) void server.sendResourceUpdated({ uri: one }).catch(() => {});
      return true;
    },
    ended() {
      // What was replaced by a later one ends without a trace.
      if (subscriptions.get(server) === subscription) void server.close().catch(() => {});
    },
  });
  try {
    const taken = await call.present((caller) => subscription.take(caller, [...uris]));
    if (!taken.includes(uri)) throw new ResourceNotFoundError(uri, 'Resource not found');
  } catch (error) {
    subscription.end();
    throw error;
  }
  subscriptions.set(server, subscription);
  before?.end();
}

/** `resources/unsubscribe` */
export async function unsubscribeIn(server: Server, call: McpCall, uri: string): Promise<void> {
  const subscription = subscriptions.get(server);
  const left = subscription?.uris().filter((one) => one !== uri) ?? [];
  await call.present(async (caller) => subscription?.take(caller, left));
}
