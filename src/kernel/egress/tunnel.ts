import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';

import { request } from '../request/http.ts';
import { bareHost } from './address.ts';
import { EgressRefused, type Guard } from './guard.ts';

/** An HTTP proxy: `http://host:port` or `https://host:port`; `login` is `user:password`, empty where it wants none. */
export type HttpProxy = { url: string; login: string };

/** A proxy led to no connection. The message is safe to show. */
export class TunnelFailed extends Error {
  override readonly name = 'TunnelFailed';
  /** What the proxy answered; null: nothing. */
  readonly status: number | null;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status ?? null;
  }
}

/** A target may be slow to answer, and the limits of a request end before this. */
const ANSWER_MS = 60_000;
const UNRESOLVED =
  'The name of the address does not resolve on the platform, and a proxy is given only names that the operator opened (SVC_EGRESS_ALLOW)';

/**
 * What a proxy is asked for: an address that `guard` has checked, because the proxy may resolve a name to another one;
 * the name where the operator opened the target. Rejects with EgressRefused, and TunnelFailed for an unknown name.
 */
export async function targetOf(guard: Guard, host: string, port: number): Promise<string> {
  const name = bareHost(host);
  const refused = guard.refusal(name, port);
  if (refused) throw refused;
  const checked = guard.isOpen(name, port) || isIP(name) !== 0 ? name : await resolved();
  return `${isIP(checked) === 6 ? `[${checked}]` : checked}:${port}`;

  function resolved(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    guard.lookup(name, port)(name, { all: true }, (error, found) => {
      if (error instanceof EgressRefused) reject(error);
      else if (error || typeof found === 'string')
        reject(new TunnelFailed(UNRESOLVED, { cause: error }));
      // Many proxies have no IPv6.
      else resolve((found.find(({ family }) => family === 4) ?? found[0])?.address ?? name);
    });
    return promise;
  }
}

/**
 * Asks the proxy at the end of `socket` for a connection to `authority` (RFC 9110, 9.3.6). Rejects with TunnelFailed;
 * `socket` is closed then.
 */
export function tunnel(
  socket: Duplex,
  authority: string,
  login: string,
  until?: AbortSignal,
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const asked = request({
    method: 'CONNECT',
    path: authority,
    createConnection: () => socket,
    ...(until && { signal: until }),
    headers: {
      host: authority,
      connection: 'keep-alive',
      ...(login === ''
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  });
  const limit = setTimeout(
    () => asked.destroy(new Error(`no answer to CONNECT within ${ANSWER_MS / 1_000} s`)),
    ANSWER_MS,
  );
  limit.unref();
  asked
    .on('connect', ({ statusCode: status = 0 }, opened, head) => {
      clearTimeout(limit);
      // Before the request nothing can be an answer to it.
      const failure =
        status >= 200 && status <= 299 ? head.length > 0 && garbled() : answered(status);
      if (failure === false) return resolve(opened);
      opened.destroy();
      reject(failure);
    })
    .on('error', (cause) => {
      clearTimeout(limit);
      const isRefused = cause instanceof EgressRefused;
      const message = isRefused ? 'The address of the proxy is not a public one' : SILENT;
      reject(new TunnelFailed(message, { cause }));
    })
    .end();
  return promise;
}

const SILENT = 'The proxy does not answer';
const garbled = (): TunnelFailed => new TunnelFailed('The proxy sent what no proxy sends');
const REASONS: Readonly<Record<number, string>> = {
  401: ': it refused the login',
  403: ': it does not allow the target',
  405: ': it allows no CONNECT',
  407: ': it refused the login',
  502: ': it did not reach the target',
  503: ': it did not reach the target',
  504: ': it did not reach the target',
};

const answered = (status: number): TunnelFailed =>
  new TunnelFailed(`The proxy answered ${status}${REASONS[status] ?? ''}`, { status });
