import { toNodeHandler, type FetchLikeMcpHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';

import type { App, Caller } from '../app.ts';
import { AppError, NotAuthenticated } from '../core/errors.ts';
import { bearerToken, challenge, stepUp } from './bearer.ts';
import { type McpCaller, mcpCaller } from './caller.ts';
import { scopeToAskFor } from './scope.ts';
import { serverFor } from './server.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Answers `/mcp` in both protocol eras. */
export function mcpEndpoint(app: App) {
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const callerFor = (auth: AuthInfo | undefined): McpCaller => {
    const caller = auth && callers.get(auth);
    if (!caller) throw new NotAuthenticated();
    return caller;
  };
  const handler = createMcpHandler(({ authInfo }) => serverFor(app, callerFor(authInfo)), {
    maxRequestBodySize: MAX_BODY_BYTES,
    // No streams yet: no event is published, so an open one would only hold a socket.
    maxSubscriptions: 0,
    onerror: (error) => app.log.debug({ error }, 'an MCP request was refused'),
  });
  const guarded: FetchLikeMcpHandler = {
    async fetch(request, options) {
      const caller = callerFor(options?.authInfo);
      const scope = await scopeToAskFor(app, caller, request);
      return scope === null ? handler.fetch(request, options) : stepUp(caller, scope);
    },
  };
  return async (request: ExpressRequest, response: ExpressResponse): Promise<void> => {
    const token = bearerToken(request);
    try {
      if (token === null) throw new NotAuthenticated();
      const caller = await mcpCaller(app, request, token);
      const auth = authInfo(caller);
      callers.set(auth, caller);
      if (response.closed) return;
      const respond = toNodeHandler(guarded, {
        maxRequestBodySize: MAX_BODY_BYTES,
        onerror: (error) => failed(app, response, error),
      });
      await respond(withAuth(request, auth), response);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error instanceof NotAuthenticated) {
        response.set('WWW-Authenticate', challenge(app, request, error));
      }
      response.status(error.status).json({ error: error.code, error_description: error.message });
    }
  };
}

/** A body shorter than its length is a disconnected client, not an error of the platform. */
function failed(app: App, response: ExpressResponse, error: Error): void {
  if (response.closed) app.log.debug({ error }, 'MCP client disconnected before the answer');
  else app.log.error({ error }, 'an MCP request failed unexpectedly');
}

/** The token is left out, so that no later code can forward it. */
const authInfo = (caller: Caller): AuthInfo => ({
  token: '',
  clientId: caller.clientId ?? '',
  scopes: [...(caller.scopes ?? [])],
});

const withAuth = (request: ExpressRequest, auth: AuthInfo) => Object.assign(request, { auth });
