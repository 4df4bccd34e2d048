import { toNodeHandler, type FetchLikeMcpHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import { Router, type Request as ExpressRequest, type RequestHandler } from 'express';

import type { App, Caller } from '../app.ts';
import { recordMcpCall } from '../auth/mcp/mcp-audit.ts';
import { AppError, NotAuthenticated } from '../core/errors.ts';
import { bearerToken, challenge, stepUp } from './bearer.ts';
import { type McpCaller, mcpCaller } from './caller.ts';
import { sameSite } from './origin.ts';
import { protectedResource } from './protected-resource.ts';
import { serverFor } from './server.ts';
import { missingScope } from './tool-adapter.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const METHODS = ['POST', 'GET', 'DELETE'];

/** `/mcp` in both protocol eras and the metadata that leads a client to a token for it. */
export function mcpRouter(app: App): Router {
  const metadata = protectedResource(app);
  return Router()
    .get('/.well-known/oauth-protected-resource', metadata)
    .get('/.well-known/oauth-protected-resource/mcp', metadata)
    .all('/mcp', sameSite(app), onlyServedMethods, serve(app));
}

const onlyServedMethods: RequestHandler = (request, response, next) => {
  if (METHODS.includes(request.method)) return next();
  response.set('Allow', METHODS.join(', ')).status(405).end();
};

function serve(app: App): RequestHandler {
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const callerFor = (auth: AuthInfo | undefined): McpCaller => {
    const caller = auth && callers.get(auth);
    if (!caller) throw new NotAuthenticated();
    return caller;
  };
  const handler = createMcpHandler(({ authInfo }) => serverFor(app, callerFor(authInfo)), {
    maxRequestBodySize: MAX_BODY_BYTES,
    // No streams yet: nothing here publishes, so an open one would only hold a socket.
    maxSubscriptions: 0,
    onerror: (error) => app.log.debug({ error }, 'an MCP request was refused'),
  });
  const guarded: FetchLikeMcpHandler = {
    async fetch(request, options) {
      const caller = callerFor(options?.authInfo);
      const scope = await scopeToAskFor(app, caller, request);
      return scope === null ? handler.fetch(request, options) : stepUp(app, caller, scope);
    },
  };
  const respond = toNodeHandler(guarded, {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) => app.log.error({ error }, 'an MCP request failed unexpectedly'),
  });
  return async (request, response) => {
    const token = bearerToken(request);
    try {
      if (token === null) throw new NotAuthenticated();
      const caller = await mcpCaller(app, request, token);
      const auth = authInfo(caller);
      callers.set(auth, caller);
      await respond(withAuth(request, auth), response);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error instanceof NotAuthenticated) {
        response.set(
          'WWW-Authenticate',
          challenge(app, request.headers.authorization !== undefined),
        );
      }
      response.status(error.status).json({ error: error.code, error_description: error.message });
    }
  };
}

/** The token itself goes no further: nothing behind this may forward it. */
const authInfo = (caller: Caller): AuthInfo => ({
  token: '',
  clientId: caller.clientId ?? '',
  scopes: [...(caller.scopes ?? [])],
});

const withAuth = (request: ExpressRequest, auth: AuthInfo) => Object.assign(request, { auth });

/** Reads the body ahead of the SDK, which can ask for a scope only before it dispatches. */
async function scopeToAskFor(
  app: App,
  caller: McpCaller,
  request: Request,
): Promise<string | null> {
  const hasAll = app.tools.every((tool) => caller.scopes?.includes(tool.scope) ?? true);
  if (hasAll || request.method !== 'POST') return null;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  for (const message of Array.isArray(body) ? body : [body]) {
    const name = nameOfCall(message);
    const scope = missingScope(app, caller, name);
    if (scope === null) continue;
    recordMcpCall(app, caller, {
      toolName: String(name),
      tool: app.tools.find((tool) => tool.name === name),
      input: message,
      connectionId: caller.connection.connectionId,
      client: caller.client,
      status: 'DENIED',
      errorCode: 'R403',
      durationMs: 0,
    });
    return scope;
  }
  return null;
}

function nameOfCall(message: unknown): unknown {
  if (!isRecord(message) || message['method'] !== 'tools/call') return undefined;
  return isRecord(message['params']) ? message['params']['name'] : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
