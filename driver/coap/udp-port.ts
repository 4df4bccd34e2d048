import { createSocket, type RemoteInfo } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { isIP, isIPv4 } from 'node:net';

import type { Log } from '../../src/kernel/process/log.ts';
import type { Counters, Peer } from './contract.ts';

export type UdpPort = {
  port: number;
  /** Never throws: a datagram that cannot be sent is counted and logged. */
  send(bytes: Buffer, peer: Peer): void;
  close(): Promise<void>;
};

const BUFFER_BYTES = 8 * 1024 * 1024;
const MAPPED_IPV4 = '::ffff:';

/** One socket for both directions: a device behind address translation is reachable from the port that it sent to only. */
export async function openUdpPort({
  host,
  port,
  log,
  received,
  counters,
}: {
  host: string;
  port: number;
  log: Log;
  received: (bytes: Buffer, from: { address: string; port: number }) => void;
  counters: Pick<Counters, 'sendErrors' | 'faults'>;
}): Promise<UdpPort> {
  const isV6 = host.includes(':');
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    // Node would call the resolver for each datagram, even with an address.
    lookup: (name, settings, done) =>
      isIP(name) === 0 ? lookup(name, settings, done) : done(null, name, isV6 ? 6 : 4),
  });
  const unsent = (cause: unknown): void => {
    counters.sendErrors++;
    log.debug({ cause }, 'a datagram could not be sent');
  };
  const sent = (error: Error | null) => {
    if (error) unsent(error);
  };
  socket.on('message', (bytes, from) => {
    try {
      received(bytes, plainOf(from));
    } catch (cause) {
      // No datagram may end the process, whatever its content.
      counters.faults++;
      log.error({ cause }, 'a datagram could not be handled');
    }
  });
  let closed = false;
  // Subscribed before `bind`, which with a synchronous lookup may be done when it returns.
  const listening = once(socket, 'listening');
  try {
    socket.bind(port, host);
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.on('error', (cause) => log.warn({ cause }, 'the CoAP socket reported an error'));
  try {
    socket.setRecvBufferSize(BUFFER_BYTES);
  } catch (cause) {
    log.debug({ cause }, 'UDP receive buffer size not changed');
  }
  return {
    port: socket.address().port,
    send(bytes, peer) {
      const address = isV6 && isIPv4(peer.address) ? MAPPED_IPV4 + peer.address : peer.address;
      try {
        socket.send(bytes, peer.port, address, sent);
      } catch (error) {
        unsent(error);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await new Promise<void>((resolve) => {
        socket.close(resolve);
      });
    },
  };
}

function plainOf({ address, port }: RemoteInfo): { address: string; port: number } {
  const plain = address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
  return { address: plain, port };
}
