import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type {
  CoapReply,
  CoapRequest,
  CoapResponse,
  Observation,
  OutgoingRequest,
  Peer,
  Silence,
} from '../../coap/contract.ts';
import { openCoapEndpoint } from '../../coap/endpoint.ts';
import type { Admit } from '../../coap/incoming.ts';
import { openSecureCoapEndpoint } from '../../coap/secure-endpoint.ts';
import type { PreSharedKey } from '../../dtls/contract.ts';
import type { SavedSession, SessionKeeper } from '../../dtls/saved-session.ts';
import type { Place } from '../../sdk/driver.ts';

/** Where the server listens: in clear and over DTLS. */
export type Lwm2mPlaces = { clear: Place; secure: Place };

/** The port in clear and the one of DTLS, as one to send through. */
export type Lwm2mPorts = {
  /** From the port that the device registered at. Rejects with a `CoapFailure`. */
  request(peer: Peer, request: OutgoingRequest): Promise<CoapResponse>;
  /** Asks the device to report a resource by itself. Rejects with a `CoapFailure`. */
  observe(
    peer: Peer,
    request: OutgoingRequest,
    notified: (response: CoapResponse) => void,
  ): Promise<Observation>;
  /**
   * Whether requests can reach the peer: in clear unless another device came to its address, over DTLS while its session
   * lives.
   */
  isReachable(peer: Peer): boolean;
  /** How long, and to how many datagrams, the peer has not answered; null where it has. */
  silenceOf(peer: Peer): Silence | null;
  /** Ends all requests to a peer that is not there any more. */
  leave(peer: Peer): void;
  /** Ends the DTLS sessions of a device, but for those whose key still counts. */
  endOf(deviceId: string, counts?: (mark: string) => boolean): void;
  /** Goes on with a DTLS session of an earlier process; false where none of the keys opened it. */
  restore(session: SavedSession, keys: readonly PreSharedKey[]): boolean;
  listening(): readonly Place[];
  close(): Promise<void>;
};

export async function openPorts({
  places,
  keys,
  keeper,
  ...given
}: {
  places: Lwm2mPlaces;
  clock: Clock;
  log: Log;
  keys: (identity: Buffer) => readonly PreSharedKey[];
  /** Where DTLS sessions are kept that are to outlive this process. */
  keeper?: SessionKeeper | undefined;
  onRequest: (request: CoapRequest) => Promise<CoapReply>;
  /** A device reported from the first address what it was asked for at the second one. */
  strayed: (to: Peer, from: Peer) => void;
  admit: Admit;
}): Promise<Lwm2mPorts> {
  const at = ({ host, port }: Place) => ({ host, port });
  const clear = await openCoapEndpoint({ ...given, ...at(places.clear) });
  const secure = await openSecureCoapEndpoint({
    ...given,
    ...at(places.secure),
    keys,
    keeper,
  }).catch(async (error: unknown) => {
    await clear.close();
    throw error;
  });
  return {
    request: (peer, request) => (peer.proven ? secure : clear).request(peer, request),
    observe: (peer, { observe: _observe, ...request }, notified) =>
      (peer.proven ? secure : clear).observe(peer, request, notified),
    silenceOf: (peer) => (peer.proven ? secure : clear).silenceOf(peer),
    leave: (peer) => (peer.proven ? secure : clear).leave(peer),
    isReachable: ({ proven }) => !proven || secure.isAlive(proven.session),
    endOf: (deviceId, counts) => secure.endOf(deviceId, counts),
    restore: (session, known) => secure.restore(session, known),
    listening: () => [
      { ...places.clear, port: clear.port },
      { ...places.secure, port: secure.port },
    ],
    async close() {
      await Promise.all([clear.close(), secure.close()]);
    },
  };
}
