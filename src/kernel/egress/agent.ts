import type { ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { Socket } from 'node:net';

import { Agent as HttpAgent } from '../request/http.ts';
import type { Guard } from './guard.ts';
import { connectOnDemand, type Connection, KEEP_ALIVE } from './on-demand.ts';

/**
 * Agents for node:http and node:https that connect to addresses `guard` allows. A connection is checked when it is made:
 * it reaches the same address as long as it is kept.
 */
export function guardedAgents(guard: Guard, connectMs: number) {
  function guarded<O extends ClientRequestArgs>(options: O, connect: (options: O) => Connection) {
    const host = options.host ?? '';
    const port = options.port ?? '';
    const refused = guard.refusal(host, port);
    // Returns a failed socket: an exception here would leave the request without its error event.
    if (refused) return new Socket().destroy(refused);
    const socket = connectOnDemand({ ...options, lookup: guard.lookup(host, port) }, connect);
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
  return {
    http: new (class extends HttpAgent {
      override createConnection(options: ClientRequestArgs): Connection {
        return guarded(options, (opened) => super.createConnection(opened));
      }
    })(KEEP_ALIVE),
    https: new (class extends HttpsAgent {
      override createConnection(options: RequestOptions): Connection {
        return guarded(options, (opened) => super.createConnection(opened));
      }
    })(KEEP_ALIVE),
  };
}
