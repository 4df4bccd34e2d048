import type { ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

import { Agent as HttpAgent } from '../request/http.ts';

export type Connection = Duplex | null | undefined;

const READ_BYTES = 65_536;
/** One for all connections: HTTP's parser takes what it needs of a read before the next. */
let shared: Buffer | null = null;

/**
 * Connects so that `pause()` of the connection stops its reads at once. Node's own connections go on until 64 kB wait,
 * one read after the other.
 */
export function connectOnDemand<O extends object>(
  options: O,
  connect: (options: O) => Connection,
): Connection {
  shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
  let opened: Connection = null;
  const callback = (bytes: number, read: Uint8Array): boolean => {
    opened?.emit('data', read.subarray(0, bytes));
    return true;
  };
  opened = connect({ ...options, onread: { buffer: shared, callback } });
  return opened;
}

/** As Node's own agents. */
export const KEEP_ALIVE = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 } as const;

/** Agents for node:http and node:https, for addresses that the operator has set; their connections read on demand. */
export function onDemandAgents() {
  return {
    http: new (class extends HttpAgent {
      override createConnection(options: ClientRequestArgs): Connection {
        return connectOnDemand(options, (opened) => super.createConnection(opened));
      }
    })(KEEP_ALIVE),
    https: new (class extends HttpsAgent {
      override createConnection(options: RequestOptions): Connection {
        return connectOnDemand(options, (opened) => super.createConnection(opened));
      }
    })(KEEP_ALIVE),
  };
}
