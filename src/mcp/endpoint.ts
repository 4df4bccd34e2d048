import { type FetchLikeMcpHandler, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  type McpHandlerRequestOptions,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';

import { noteCredential } from '../auth/audit/credential.ts';
import type { McpClient } from '../auth/connection/audit.ts';
import { whitelistOf } from '../auth/connection/whitelist.ts';
import { authenticateBearer } from '../auth/oauth/store/bearer.ts';
import { sourceAt } from '../auth/oauth/store/body.ts';
import { onPresentFacts } from '../auth/permission/present.ts';
import type { App, Caller, Scope } from '../kernel/app/app.ts';
import { AppError, NotAuthenticated } from '../kernel/errors.ts';
import { asksToListen, isRightListen, listen } from './offer/listen.ts';
import type { McpCall, McpCaller } from './request/caller.ts';
import { bearerToken, challenge, stepUp } from './request/http/bearer.ts';
import { MAX_BODY_BYTES, type Read, readMcpBody } from './request/http/body.ts';
import { wantedBy } from './request/http/narrowing.ts';
import { wrongParams } from './request/http/wrong-params.ts';
import { stateCodec } from './request/request-state.ts';
import { wrongTaskName } from './request/task-name.ts';
import { traceIdIn } from './request/trace-context.ts';
import { scopeToAskFor } from './scope.ts';
import { serverFor, type Serving } from './server.ts';
import { sessionRequests } from './session-request.ts';
import { streamWhenSlow } from './stream-when-slow.ts';

/** A call under way; `refusal` is why its caller is no longer identified. */
type Call = McpCall & { isChecked: boolean; refusal: AppError | null };

/** What one request brings to the handler of all. */
type Given = {
  call: Call;
  body: Read;
  askFor(scope: Scope): Response;
  refuse(error: AppError): Response;
};

/** Answers `/mcp` in both protocol eras. */
export function mcpEndpoint(app: App) {
  const calls = new WeakMap<AuthInfo, Call>();
  const callFor = (auth: AuthInfo | undefined): Call => {
    const call = auth && calls.get(auth);
    if (!call) throw new NotAuthenticated();
    return call;
  };
  const callBehind = (ctx: ServerContext) => callFor(ctx.http?.authInfo);
  const codec = stateCodec(app, (ctx) => callBehind(ctx).caller);
  const serving: Serving = { app, callOf: callBehind, codec };
  const handler = createMcpHandler(
    ({ era, authInfo, requestInfo }) => {
      const { caller } = callFor(authInfo);
      // The library compares the header with the body before.
      const method = era === 'modern' ? requestInfo?.headers.get('mcp-method')?.trim() : undefined;
      return serverFor(serving, { caller, ...(method !== undefined && { method }) });
    },
    {
      maxRequestBodySize: MAX_BODY_BYTES,
      // Streams are ours (offer/listen.ts); the library checks what asks for one, and refuses it last.
      maxSubscriptions: 0,
      onerror: (error) => app.log.debug({ error }, 'an MCP request was refused'),
    },
  );
  const inSession = sessionRequests(serving);
  const answer = async (request: Request, call: Call, options: McpHandlerRequestOptions) => {
    const { authInfo, parsedBody } = options;
    const early =
      wrongParams(parsedBody) ??
      wrongTaskName(request, parsedBody) ??
      (authInfo && (await inSession.answer(request, call.caller, { authInfo, parsedBody })));
    return early ?? handler.fetch(request, options);
  };
  return async (request: ExpressRequest, response: ExpressResponse): Promise<void> => {
    const token = bearerToken(request);
    const headersOf = (error: AppError) => challengeOf(app, request, error);
    try {
      if (token === null) throw new NotAuthenticated();
      const call = callOf(app, await mcpCaller(app, request, token), () =>
        mcpCaller(app, request, token),
      );
      const auth = authInfo(call.caller);
      calls.set(auth, call);
      if (response.closed) return;
      using body = await readMcpBody(app, call.caller, request, response);
      const given: Given = {
        call,
        body,
        askFor: (scope) => stepUp(app, request, call.caller, scope),
        refuse: (error) =>
          Response.json(wordsOf(error), { status: error.status, headers: headersOf(error) }),
      };
      const respond = (fetch: FetchLikeMcpHandler['fetch']) =>
        toNodeHandler(
          { fetch },
          {
            maxRequestBodySize: MAX_BODY_BYTES,
            onerror: (error) => failed(app, response, error),
          },
        )({ ...body.rest, auth }, response);
      if (body.json !== undefined && asksToListen(request)) {
        const refusal = await guarded(app, given, async () => {
          const asked = { authInfo: auth, parsedBody: body.json };
          const checked = await handler.fetch(await toWebRequest(body.rest), asked);
          return (await isRightListen(checked)) ? listen(app, call, body.json, response) : checked;
        });
        if (refusal) await respond(async () => refusal);
        return;
      }
      if (isStreamOfSession(request)) {
        const refusal = await guarded(app, given, async () =>
          inSession.stream(await toWebRequest(body.rest), call, response),
        );
        if (refusal) await respond(async () => refusal);
        return;
      }
      await respond((asked, options) => {
        const parsed = { ...options, ...(body.json !== undefined && { parsedBody: body.json }) };
        const answering = guarded(app, given, () => answer(asked, call, parsed));
        return streamWhenSlow(app, asked, body.json, answering);
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (token !== null) noteRefused(app, request, response, { error, bearer: token });
      const words = isOfBody(error) ? rpcError(error) : wordsOf(error);
      response.status(error.status).set(headersOf(error)).json(words);
    }
  };
}

const isStreamOfSession = ({ method, headers }: ExpressRequest): boolean =>
  method === 'GET' && 'mcp-session-id' in headers && !('mcp-method' in headers);

/** Null when `work` answers by itself. */
async function guarded<T extends Response | null>(
  app: App,
  { call, body, askFor, refuse }: Given,
  work: () => Promise<T>,
): Promise<T | Response> {
  const scope = scopeToAskFor(app, call.caller, body.json);
  const response = scope === null ? await work() : askFor(scope);
  // Also an answer that needs no facts goes to callers only that are identified now.
  if (!call.isChecked) await call.present(async () => {}).catch(() => {});
  return call.refusal ? refuse(call.refusal) : response;
}

const challengeOf = (app: App, request: ExpressRequest, error: AppError) =>
  error instanceof NotAuthenticated ? { 'www-authenticate': challenge(app, request, error) } : {};

function noteRefused(
  app: App,
  request: ExpressRequest,
  response: ExpressResponse,
  { error, bearer }: { error: AppError; bearer: string },
): void {
  if (!(error instanceof NotAuthenticated)) return;
  const place = `${request.method} /mcp`;
  noteCredential(app, { door: 'mcp', source: sourceAt(response), error, place, bearer });
}

/** The caller behind a bearer token; throws NotAuthenticated (401). */
async function mcpCaller(app: App, request: ExpressRequest, token: string): Promise<McpCaller> {
  const caller = await authenticateBearer(app, token, 'mcp');
  return {
    ...caller,
    traceId: traceIdIn(request.get('traceparent')),
    connection: await whitelistOf(app, caller),
    ...wantedBy(app, request),
    client: { ...fromUserAgent(request), remoteIp: request.ip ?? '' },
  };
}

/** Client from the User-Agent: the older protocol sends name and version in its first request only. */
function fromUserAgent(request: ExpressRequest): Pick<McpClient, 'name' | 'version'> {
  const [, name = '', version = ''] =
    /^([^\s/]{1,128})(?:\/(\S{1,64}))?/.exec(request.get('user-agent') ?? '') ?? [];
  return { name, version };
}

function callOf(app: App, caller: McpCaller, again: () => Promise<McpCaller>): Call {
  const identified = () =>
    again().catch((error: unknown) => {
      if (error instanceof AppError) call.refusal = error;
      throw error;
    });
  const call: Call = {
    caller,
    isChecked: false,
    refusal: null,
    again,
    present(work) {
      call.isChecked = true;
      return onPresentFacts(app, caller, identified, work);
    },
  };
  return call;
}

const wordsOf = ({ code, message }: AppError) => ({ error: code, error_description: message });

/** A body that was not read is answered as the library answers it. */
const isOfBody = ({ status }: AppError): boolean => [400, 413, 415, 422, 429].includes(status);

const rpcError = ({ message }: AppError) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message },
});

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
