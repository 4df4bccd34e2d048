import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { DtlsCounters, PreSharedKey, SessionFacts } from '../dtls/contract.ts';
import type { SavedSession, SessionKeeper } from '../dtls/saved-session.ts';
import { DtlsServer } from '../dtls/server.ts';
import {
  CoapFailure,
  type CoapReply,
  type CoapRequest,
  newCounters,
  type Peer,
} from './contract.ts';
import type { CoapEndpoint } from './endpoint.ts';
import type { Admit } from './incoming.ts';
import { CoapLayer } from './layer.ts';
import { pooledRandom } from './message/random.ts';
import { openUdpPort } from './udp-port.ts';

const MINUTE_MS = 60_000;
const REFUSALS = ['unproven', 'limited', 'wrongCookies', 'forged', 'replayed'] as const;

export type SecureCoapEndpoint = CoapEndpoint & {
  isAlive(session: string): boolean;
  /** Closes the sessions that were opened with a key of this device, but for those whose key still counts. */
  endOf(deviceId: string, counts?: (mark: string) => boolean): void;
  /** Goes on with a session of an earlier process; false where none of the keys opened it. */
  restore(session: SavedSession, keys: readonly PreSharedKey[]): boolean;
};

/**
 * Opens a UDP port for CoAP over DTLS (RFC 7252 9.1): a peer is its session, wherever its address moves. Requests
 * go to clients only that have a session; the server begins none. `request` rejects with a `CoapFailure`.
 */
export async function openSecureCoapEndpoint({
  host,
  port,
  clock,
  log,
  keys,
  keeper,
  onRequest,
  admit,
}: {
  host: string;
  port: number;
  clock: Clock;
  log: Log;
  /** The keys of an identity, with the devices that they prove. */
  keys: (identity: Buffer) => readonly PreSharedKey[];
  /** Where sessions are kept that are to outlive this process. */
  keeper?: SessionKeeper | undefined;
  onRequest: (request: CoapRequest) => Promise<CoapReply>;
  admit: Admit;
}): Promise<SecureCoapEndpoint> {
  const counters = newCounters();
  let dtls: DtlsServer | null = null;
  const socket = await openUdpPort({
    host,
    port,
    log,
    received: (bytes, from) => dtls?.receive(bytes, from),
    counters,
  });
  const layer = new CoapLayer({
    clock,
    log,
    random: pooledRandom(),
    counters,
    onRequest,
    admit,
    send(bytes, { proven }) {
      if (proven && server.send(proven.session, bytes)) counters.sent++;
    },
  });
  const server = new DtlsServer({
    clock,
    keys,
    keeper,
    send: (datagram, to) => socket.send(datagram, to),
    received: ({ id, holder, mark, address }, data) =>
      layer.receive(data, {
        key: keyOf(id),
        peer: { ...address, proven: { session: id, deviceId: holder, mark } },
      }),
    ended({ id, holder }: SessionFacts) {
      layer.forget(keyOf(id));
      log.debug({ deviceId: holder }, 'a DTLS session ended');
    },
  });
  dtls = server;
  const stopLogging = logRefusedHandshakes(server.counters, clock, log);

  function remoteOf(peer: Peer): { key: string; peer: Peer } {
    const session = peer.proven?.session;
    if (session === undefined || !server.session(session))
      throw new CoapFailure('bad-request', 'the DTLS session is over');
    return { key: keyOf(session), peer };
  }

  return {
    port: socket.port,
    async request(peer, request) {
      return layer.request(remoteOf(peer), request);
    },
    async observe(peer, request, notified) {
      return layer.observe(remoteOf(peer), request, notified);
    },
    silenceOf: ({ proven }) => (proven ? layer.silenceOf(keyOf(proven.session)) : null),
    leave(peer) {
      if (peer.proven) layer.leave(keyOf(peer.proven.session));
    },
    stats: () => layer.stats(),
    isAlive: (session) => server.session(session) !== null,
    endOf: (deviceId, counts) => server.endOf(deviceId, counts),
    restore: (session, known) => server.restore(session, known),
    async close() {
      stopLogging();
      layer.close();
      server.close();
      await socket.close();
    },
  };
}

const keyOf = (session: string): string => `dtls|${session}`;

/**
 * Logs once a minute what a DTLS server refused in it, as such peers get no answer: `unproven` are handshakes with an
 * unknown identity or a wrong key. Returns how to stop.
 */
export function logRefusedHandshakes(
  counters: Readonly<Pick<DtlsCounters, (typeof REFUSALS)[number]>>,
  clock: Clock,
  log: Pick<Log, 'warn'>,
): () => void {
  let before = { ...counters };
  return clock.every(MINUTE_MS, () => {
    const now = { ...counters };
    const counts = REFUSALS.map((name) => [name, now[name] - before[name]] as const);
    before = now;
    const refused = counts.filter(([, count]) => count > 0);
    if (refused.length > 0)
      log.warn(Object.fromEntries(refused), 'DTLS handshakes or records were refused');
  });
}
