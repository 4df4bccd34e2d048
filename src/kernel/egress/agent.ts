import { createHash } from 'node:crypto';
import type { ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { connect as connectTcp, isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

import { Agent as HttpAgent } from '../request/http.ts';
import { bareHost, portOf } from './address.ts';
import type { Guard } from './guard.ts';
import { connectOnDemand, type Connection, KEEP_ALIVE } from './on-demand.ts';
import { type HttpProxy, targetOf, tunnel } from './tunnel.ts';

/** Options of a request beside those of Node: the proxy through which its connection goes, and for how long it is wanted. */
export type Proxied = { proxy?: HttpProxy; until?: AbortSignal };

type Connected = (error: Error | null, connection: Duplex) => void;
type Target = { host?: string | null | undefined; port?: number | string | null | undefined };

/**
 * Agents for node:http and node:https that connect to addresses that `guard` allows, directly or through the `proxy` of a
 * request. The guard checks the address of the proxy too. It checks a connection once, when the connection is made: a
 * kept connection reaches the same address.
 */
export function guardedAgents(guard: Guard, connectMs: number) {
  function guarded<O extends Target, C>(options: O, connect: (options: O) => C): C | Socket {
    const host = options.host ?? '';
    const port = options.port ?? '';
    const refused = guard.refusal(host, port);
    // Returns a failed socket: an exception here would leave the request without its error event.
    if (refused) return new Socket().destroy(refused);
    const socket = connect({ ...options, lookup: guard.lookup(host, port) });
    if (socket instanceof Socket) watch(socket, () => guard.isReached(host, port, socket));
    return socket;

    function watch(connecting: Socket, isAllowed: () => boolean): void {
      const timer = setTimeout(() => connecting.destroy(new Error('connect timeout')), connectMs);
      timer.unref();
      connecting
        .once('close', () => clearTimeout(timer))
        .once('connect', () => {
          clearTimeout(timer);
          if (!isAllowed()) connecting.destroy(guard.refused());
        });
    }
  }

  async function throughProxy(
    { url, login }: HttpProxy,
    { host, port, until }: Target & Proxied,
  ): Promise<Duplex> {
    const target = await before(targetOf(guard, host ?? '', Number(port)), until);
    const proxy = new URL(url);
    const at = { host: bareHost(proxy.hostname), port: Number(portOf(proxy)) };
    const servername = isIP(at.host) === 0 ? at.host : '';
    const connection = guarded(at, (options) =>
      proxy.protocol === 'https:' ? connectTls({ ...options, servername }) : connectTcp(options),
    );
    return tunnel(connection, target, login, until);
  }

  /** Through a proxy the connection is there later, and `over` makes of it that of the request. */
  function made<O extends ClientRequestArgs & Proxied>(
    options: O,
    connected: Connected,
    connect: (options: O) => Connection,
    over: (socket: Duplex) => Connection = (socket) => socket,
  ): Connection {
    if (!options.proxy)
      return guarded(options, (allowed) => connectOnDemand(allowed, (opened) => connect(opened)));
    throughProxy(options.proxy, options).then(
      (socket) => connected(null, over(socket) ?? socket),
      (error: Error) => connected(error, new Socket()),
    );
    return undefined;
  }

  return {
    http: new (class extends HttpAgent {
      override createConnection(options: ClientRequestArgs, connected: Connected): Connection {
        return made(options, connected, (opened) => super.createConnection(opened));
      }
      override getName(options?: ClientRequestArgs & Proxied): string {
        return `${super.getName(options)}${nameOf(options)}`;
      }
    })(KEEP_ALIVE),
    https: new (class extends HttpsAgent {
      override createConnection(options: RequestOptions, connected: Connected): Connection {
        const within = (socket: Duplex) => ({ ...options, socket });
        return made(
          options,
          connected,
          (opened) => super.createConnection(opened),
          (socket) => super.createConnection(within(socket)),
        );
      }
      override getName(options?: RequestOptions & Proxied): string {
        return `${super.getName(options)}${nameOf(options)}`;
      }
    })(KEEP_ALIVE),
  };
}

/** Node tells a request that is aborted before it has a connection only once there is one. */
function before<T>(work: Promise<T>, until: AbortSignal | undefined): Promise<T> {
  if (!until) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error('aborted', { cause: until.reason }));
  if (until.aborted) stop();
  until.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => until.removeEventListener('abort', stop));
}

/** No other request takes a connection that a proxy and its login opened. */
function nameOf({ proxy }: Proxied = {}): string {
  if (!proxy) return '';
  const { url, login } = proxy;
  return `:${createHash('sha256').update(`${url} ${login}`).digest('base64')}`;
}
