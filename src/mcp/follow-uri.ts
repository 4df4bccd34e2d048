import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';

import { followUri, leaveUri } from '../auth/connection/mcp-session.ts';
import type { App } from '../kernel/app/app.ts';
import { keysFor } from './offer/followed.ts';
import type { McpCall } from './request/caller.ts';
import { MCP_SESSIONS } from './sessions.ts';

/**
 * `resources/subscribe`: notices go to the stream of the session, in whatever process it is. A URI that may not be
 * read does not exist.
 */
export async function subscribeIn(
  app: App,
  session: string,
  call: McpCall,
  uri: string,
): Promise<void> {
  const row = await call.present(async (caller) => {
    if (keysFor(app, caller, uri) === null)
      throw new ResourceNotFoundError(uri, 'Resource not found');
    return followUri(app, caller, session, uri);
  });
  if (row === null)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'This session takes no more subscriptions',
    );
  await app.of(MCP_SESSIONS).get(session)?.stream?.take(row.uris);
}

/** `resources/unsubscribe` */
export async function unsubscribeIn(
  app: App,
  session: string,
  call: McpCall,
  uri: string,
): Promise<void> {
  const row = await call.present((caller) => leaveUri(app, caller, session, uri));
  await app
    .of(MCP_SESSIONS)
    .get(session)
    ?.stream?.take(row?.uris ?? {});
}
