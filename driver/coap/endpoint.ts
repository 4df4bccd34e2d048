import type { RemoteInfo } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { isIP, isIPv4 } from 'node:net';

import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { CoapReply, CoapRequest, CoapResponse, OutgoingRequest, Peer } from './contract.ts';
import { CoapFailure } from './contract.ts';
import type { Random } from './exchange/random.ts';
import { pooledRandom } from './exchange/random.ts';
import { CoapLayer } from './layer.ts';
import type { Admit } from './serving/incoming.ts';
import type { Stats } from './stats.ts';
import { newCounters } from './stats.ts';

export { CoapFailure } from './contract.ts';
export type { CoapReply, CoapRequest, CoapResponse, OutgoingRequest } from './contract.ts';
export { Code } from './message/message.ts';

export type CoapEndpoint = {
  /** The UDP port in use. */
  port: number;
  request(peer: Peer, request: OutgoingRequest): Promise<CoapResponse>;
  stats(): Stats;
  close(): Promise<void>;
};

const BUFFER_BYTES = 8 * 1024 * 1024;
const MAPPED_IPV4 = '::ffff:';

/**
 * Opens a UDP port for client and server: requests leave from the port that peers send to, because a device behind
 * address translation is reachable from there only. `request` rejects with a `CoapFailure`.
 */
export async function openCoapEndpoint(options: {
  host: string;
  port: number;
  clock: Clock;
  log: Log;
  onRequest: (request: CoapRequest) => Promise<CoapReply>;
  /** Called before a body in blocks is accepted. */
  admit?: Admit;
  random?: Random;
}): Promise<CoapEndpoint> {
  const { host, port, clock, log, onRequest, admit, random = pooledRandom() } = options;
  const isV6 = host.includes(':');
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    // Node would call the resolver for each datagram, even with an address.
    lookup: (name, settings, done) =>
      isIP(name) === 0 ? lookup(name, settings, done) : done(null, name, isV6 ? 6 : 4),
  });
  const counters = newCounters();
  const sent = (error: Error | null) => {
    if (!error) return;
    counters.sendErrors++;
    log.debug({ cause: error }, 'a datagram could not be sent');
  };
  const send = (bytes: Buffer, peer: Peer) => {
    counters.sent++;
    const address = isV6 && isIPv4(peer.address) ? MAPPED_IPV4 + peer.address : peer.address;
    try {
      socket.send(bytes, peer.port, address, sent);
    } catch (error) {
      sent(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const parts = { clock, log, random, counters, send, onRequest };
  const layer = new CoapLayer(admit ? { ...parts, admit } : parts);
  socket.on('message', (bytes, from) => {
    try {
      layer.receive(bytes, remoteOf(from));
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
    layer.close();
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
    async request(peer, request) {
      if (isIP(peer.address) === 0 || !(peer.port > 0 && peer.port < 65_536))
        throw new CoapFailure('bad-request', 'not an address');
      return layer.request({ key: keyOf(peer), peer }, request);
    },
    stats: () => layer.stats(),
    async close() {
      if (closed) return;
      closed = true;
      layer.close();
      await new Promise<void>((resolve) => {
        socket.close(resolve);
      });
    },
  };
}

function remoteOf({ address, port }: RemoteInfo): { key: string; peer: Peer } {
  const plain = address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
  const peer = { address: plain, port };
  return { key: keyOf(peer), peer };
}

function keyOf({ address, port }: Peer): string {
  return `${address}|${port}`;
}
