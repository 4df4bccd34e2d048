import { isIP } from 'node:net';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import {
  CoapFailure,
  type CoapReply,
  type CoapRequest,
  type CoapResponse,
  newCounters,
  type Observation,
  type OutgoingRequest,
  type Peer,
  type Silence,
  type Stats,
} from './contract.ts';
import type { Admit } from './incoming.ts';
import { CoapLayer } from './layer.ts';
import { pooledRandom, type Random } from './message/random.ts';
import { openUdpPort } from './udp-port.ts';

export { CoapFailure } from './contract.ts';
export type { CoapReply, CoapRequest, CoapResponse, OutgoingRequest } from './contract.ts';
export { Code } from './message/message.ts';

export type CoapEndpoint = {
  /** The UDP port in use. */
  port: number;
  request(peer: Peer, request: OutgoingRequest): Promise<CoapResponse>;
  /** Asks the peer to report a resource (RFC 7641); `notified` gets each later value. Rejects as `request`. */
  observe(
    peer: Peer,
    request: Omit<OutgoingRequest, 'observe'>,
    notified: (response: CoapResponse) => void,
  ): Promise<Observation>;
  /** Null where the peer has answered all that it was sent, or was sent nothing. */
  silenceOf(peer: Peer): Silence | null;
  /** Ends all requests to a peer that is not there any more; each rejects with a `CoapFailure`. */
  leave(peer: Peer): void;
  stats(): Stats;
  close(): Promise<void>;
};

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
  /** Called for a notification that came from the first address for an observation at the second one. */
  strayed?: (to: Peer, from: Peer) => void;
  random?: Random;
}): Promise<CoapEndpoint> {
  const { host, port, clock, log, onRequest, admit, strayed, random = pooledRandom() } = options;
  const counters = newCounters();
  // The port is open before the layer that receives from it is made.
  let layer: CoapLayer | null = null;
  const socket = await openUdpPort({
    host,
    port,
    log,
    received: (bytes, from) => layer?.receive(bytes, { key: keyOf(from), peer: from }),
    counters,
  });
  const send = (bytes: Buffer, peer: Peer): void => {
    counters.sent++;
    socket.send(bytes, peer);
  };
  const parts = { clock, log, random, counters, send, onRequest };
  const open = new CoapLayer({ ...parts, ...(admit && { admit }), ...(strayed && { strayed }) });
  layer = open;
  return {
    port: socket.port,
    async request(peer, request) {
      return open.request(remoteOf(peer), request);
    },
    async observe(peer, request, notified) {
      return open.observe(remoteOf(peer), request, notified);
    },
    silenceOf: (peer) => open.silenceOf(keyOf(peer)),
    leave: (peer) => open.leave(keyOf(peer)),
    stats: () => open.stats(),
    async close() {
      open.close();
      await socket.close();
    },
  };
}

function remoteOf(peer: Peer): { key: string; peer: Peer } {
  if (isIP(peer.address) === 0 || !(peer.port > 0 && peer.port < 65_536))
    throw new CoapFailure('bad-request', 'not an address');
  return { key: keyOf(peer), peer };
}

function keyOf({ address, port }: Peer): string {
  return `${address}|${port}`;
}
