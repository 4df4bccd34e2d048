import { lookup } from 'node:dns';
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

import { hostPort, portOf } from './address.ts';
import { guardedAgents, type Proxied } from './agent.ts';
import { createGuard, EgressRefused, type Guard, type Resolve } from './guard.ts';
import type { HttpProxy } from './tunnel.ts';

export { EgressRefused } from './guard.ts';

const CONNECT_MS = 5_000;
/** Idle time before the head of an answer, and within its body. */
const HEAD_MS = 10_000;
const BODY_MS = 15_000;
/** Limit of the keep-alive time that an answer may ask for. */
const KEEP_MS = 10_000;

/** Outgoing requests of the platform: non-public addresses are refused unless the operator allows them. */
export type Egress = {
  /**
   * Sends one request; redirects are refused and nothing is retried. Throws EgressRefused for a target that
   * is not allowed, else the errors of undici's fetch.
   */
  fetch(url: string | URL, init: RequestInit & { signal: AbortSignal }): Promise<Response>;
  /** For requests over node:http(s) that stream: connects to allowed addresses only. Throws EgressRefused. */
  agentFor(url: URL): HttpAgent | HttpsAgent;
  /**
   * Options of a streaming request through a proxy. The guard checks the address of the proxy too. The agent asks the
   * proxy for a tunnel (CONNECT) to the checked address of the target, or to its name where the operator opened the target.
   * Throws EgressRefused; the request fails with TunnelFailed. `until`: the signal of the request.
   */
  through(
    proxy: HttpProxy,
    url: URL,
    until: AbortSignal,
  ): { agent: HttpAgent | HttpsAgent } & Proxied;
  close(): Promise<void>;
};

type Options = {
  /** `host:port` as URLs spell it; allowed whatever address it resolves to. */
  allow: readonly string[];
  resolve?: Resolve;
};

/** Creates an egress; throws TypeError for an entry of `allow` that is not `host:port`. */
export function createEgress({
  allow,
  resolve = (host, answered) => lookup(host, { all: true }, answered),
}: Options): Egress {
  const guard = createGuard(new Set(allow.map(hostPort)), resolve);
  // Loaded by the first request: most processes send none.
  let opened: ReturnType<typeof openUndici> | null = null;
  const streaming = guardedAgents(guard, CONNECT_MS);
  const agentFor = (url: URL): HttpAgent | HttpsAgent =>
    checked(url, guard).protocol === 'https:' ? streaming.https : streaming.http;
  return {
    async fetch(target, init) {
      const url = checked(target, guard);
      try {
        const { fetch, dispatcher } = await (opened ??= openUndici(guard));
        return await fetch(url, { ...init, redirect: 'error', dispatcher });
      } catch (error) {
        throw refusalWithin(error) ?? error;
      }
    },
    agentFor,
    through(proxy, url, until) {
      checked(proxy.url, guard);
      return { agent: agentFor(url), proxy, until };
    },
    async close() {
      streaming.http.destroy();
      streaming.https.destroy();
      const undici = await opened?.catch(() => null); // its failure was the request's
      await undici?.dispatcher.destroy();
    },
  };
}

function checked(target: string | URL, guard: Guard): URL {
  const url = URL.parse(String(target));
  if (!url) throw new EgressRefused('The address is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressRefused('The address is neither http nor https');
  if (url.username || url.password)
    throw new EgressRefused('The address must not hold a user name or a password');
  const refused = guard.refusal(url.hostname, portOf(url));
  if (refused) throw refused;
  return url;
}

/** With a connector of its own, because undici does not call `connect.lookup` for a literal address. */
async function openUndici(guard: Guard) {
  const { Agent, buildConnector, fetch } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: HEAD_MS,
    bodyTimeout: BODY_MS,
    keepAliveMaxTimeout: KEEP_MS,
    connect(options, callback) {
      const { hostname } = options;
      const port = portOf(options);
      const refused = guard.refusal(hostname, port);
      if (refused) return callback(refused, null);
      const connect = buildConnector({
        timeout: CONNECT_MS,
        allowH2: false,
        lookup: guard.lookup(hostname, port),
      });
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        if (guard.isReached(hostname, port, socket)) return callback(null, socket);
        socket.destroy();
        callback(guard.refused(), null);
      });
    },
  });
  return { fetch, dispatcher };
}

function refusalWithin(error: unknown): EgressRefused | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof EgressRefused) return at;
  return null;
}
