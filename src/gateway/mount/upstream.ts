import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { pipeline } from 'node:stream';

import type { Request, RequestHandler, Response } from 'express';

import type { App } from '../../kernel/app/app.ts';
import { BadRequest, Unavailable } from '../../kernel/errors.ts';
import { Agent, request as plainRequest } from '../../kernel/request/http.ts';

const CONNECT_MS = 3_000;
/** Idle time after which a center counts as unavailable: longer than a chat turn may take (120 s). */
const SILENCE_MS = 150_000;
const KEPT_SOCKETS = 64;
/** Concurrent requests to one center; more are refused at once. */
const MAX_UNDER_WAY = 1_000;

/** Headers that belong to one connection, not to the message (RFC 9110 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names of the request headers that `upstream` forwards; all others are dropped. */
export type Forwarding = { headers: readonly string[] };

/** An address of a center, with the connections that are kept to it. */
function placeAt(base: string) {
  const { protocol, hostname, port, pathname } = new URL(base);
  const secure = protocol === 'https:';
  const kept = { keepAlive: true, maxFreeSockets: KEPT_SOCKETS };
  return {
    request: secure ? secureRequest : plainRequest,
    agent: new (secure ? SecureAgent : Agent)(kept),
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    root: pathname.replace(/\/$/, ''),
  };
}

/**
 * Forwards requests to a process at one of `bases` (http or https) over kept connections: the path below the mount
 * point, the listed headers and the body read before. The answer is streamed chunk by chunk; a client that
 * disconnects ends the request. The address that answered last is used until it fails; what surely did not arrive
 * there, and what only reads, goes on to the next, once to each. An unreachable center is 503.
 */
export function upstream(
  app: App,
  what: string,
  bases: readonly string[],
): (f: Forwarding) => RequestHandler {
  const places = bases.map(placeAt);
  let used = 0;
  let underWay = 0;

  return ({ headers }) =>
    (req, res, next) => {
      // The client disconnected during authentication: no later `close` would end the request.
      if (res.closed) return;
      if (underWay >= MAX_UNDER_WAY) throw new Unavailable(`The ${what} is busy`);
      const first = used;
      let outgoing = attempt(0);
      underWay += 1;
      res.once('close', () => {
        underWay -= 1;
        outgoing.destroy();
      });

      function attempt(tried: number): ClientRequest {
        const at = (first + tried) % places.length;
        const place = places[at];
        if (!place) throw new Unavailable(`The ${what} is not there now`);
        const { agent, host, port, root } = place;
        const path = root + req.url;
        const sent = { ...headersOf(req, res, headers), ...lengthOf(req) };
        const options = { agent, host, port, path, method: req.method, headers: sent };
        const asked = begin(() => place.request({ ...options, timeout: SILENCE_MS }));
        let cancel: (() => void) | undefined;
        let isConnected = false;
        asked
          .on('socket', (socket) => {
            isConnected = !socket.connecting;
            if (isConnected) return;
            const late = new Error(`no connection within ${CONNECT_MS} ms`);
            cancel = app.clock.after(CONNECT_MS, () => asked.destroy(late));
            // A request is sent once TLS is agreed on.
            socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
              isConnected = true;
              cancel?.();
            });
          })
          .on('timeout', () => asked.destroy(new Error(`silent for ${SILENCE_MS} ms`)))
          .on('error', (error) => {
            cancel?.();
            if (res.destroyed) return; // the client disconnected first
            if (res.headersSent) {
              res.destroy();
              return;
            }
            if (used === at) used = (at + 1) % places.length;
            const mayRepeat = !isConnected || req.method === 'GET' || req.method === 'HEAD';
            if (mayRepeat && tried + 1 < places.length) outgoing = attempt(tried + 1);
            else next(new Unavailable(`The ${what} is not there now`, error));
          })
          .on('response', (incoming) => passOn(incoming, res))
          .end(bodyOf(req));
        return asked;
      }
    };
}

/** A path or header that HTTP cannot carry is the caller's error. */
function begin<T>(make: () => T): T {
  try {
    return make();
  } catch {
    throw new BadRequest('The request cannot be read');
  }
}

function passOn(incoming: IncomingMessage, res: Response): void {
  // `pipeline` throws for a destroyed destination, and the error would be uncaught here.
  if (res.destroyed) return void incoming.destroy();
  const named = (incoming.headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  res.status(incoming.statusCode ?? 502);
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name))
      res.setHeader(name, value);
  }
  // Sends the head at once: the first chunk of a stream may take long.
  res.flushHeaders();
  // Ends both sides when one breaks, so that a partial answer never looks complete.
  pipeline(incoming, res, () => {});
}

function headersOf(req: Request, res: Response, names: readonly string[]) {
  const given = names.flatMap((name) => {
    const value = req.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), 'x-request-id': String(res.locals['requestId']) };
}

const bodyOf = (req: Request): Buffer | undefined =>
  Buffer.isBuffer(req.body) ? req.body : undefined;

function lengthOf(req: Request): { 'content-length'?: number } {
  const body = bodyOf(req);
  if (body) return { 'content-length': body.length };
  return req.method === 'GET' || req.method === 'HEAD' ? {} : { 'content-length': 0 };
}
