import { randomBytes } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { CoapReply, CoapRequest, Peer } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import type { Link } from '../codec/link-format.ts';
import { createAddresses } from './addresses.ts';
import type { SavedRegistration } from './journal.ts';
import { createLifetimeWheel } from './lifetime-wheel.ts';
import { isSameHost, isSamePeer } from './peer.ts';
import { createRefusalLog } from './refusal-log.ts';
import { saidIn } from './registered-objects.ts';
import { parseRegistration } from './request.ts';
import { createStrangerLimit } from './unknown-peer-limit.ts';

/** A registered device: its address, lifetime and capabilities. */
export type Registration = SavedRegistration;

/** OMA Core 1.1, 6.2.1: the lifetime of a Register without `lt`. */
const DEFAULT_LIFETIME_S = 86_400;
const MAX_REGISTRATIONS = 100_000;
/** Last moment of a Date. */
const NEVER = 8.64e15;

/** A registration was added; changed; went on as it is; ended. */
export type RegistrationChange = 'registered' | 'updated' | 'heard' | 'gone';

export type Registrations = {
  /** Answers requests to /rd and below (OMA Core 1.1, 6.2). */
  answer(request: CoapRequest): CoapReply;
  /**
   * The code that refuses a request by its head alone, before its payload is accepted; else null. `silent`:
   * unknown endpoints send too many requests.
   */
  refusalBefore(head: Omit<CoapRequest, 'payload'>): number | 'silent' | null;
  /** The living registration that a request from another address would move or end; else null. */
  contested(request: CoapRequest): Registration | null;
  of(deviceId: string): Registration | undefined;
  /** Of the device at this address, over DTLS of the one in this session. */
  at(peer: Peer): Registration | undefined;
  /** Whether another device spoke from this address since, see `Addresses`. */
  isTaken(peer: Peer): boolean;
  /** The device at the second address spoke from the first one, though not to register. */
  strayed(to: Peer, from: Peer): void;
  /** Ends the registration of a device whose endpoint moved or is no longer configured. */
  drop(deviceId: string): void;
  all(): Registration[];
  close(): void;
};

const nameIn = (query: readonly string[]): string | undefined =>
  query.find((item) => item.startsWith('ep='))?.slice('ep='.length);

// oxlint-disable-next-line max-lines-per-function
export function createRegistrations({
  restored,
  provenName,
  deviceFor,
  holds,
  refusalOf,
  wasRefused,
  wasUnknown,
  synced,
  changed,
  displaced,
  clock,
  log,
}: {
  restored: readonly Registration[];
  /** The endpoint name of the device that the peer's key is of; null: the peer has proven none. */
  provenName: (peer: Peer) => string | null;
  /** The device with exactly this endpoint name that the peer says it is, or null. */
  deviceFor: (endpoint: string, peer: Peer) => string | null;
  /** Whether the name is the device's own. */
  holds: (deviceId: string, endpoint: string) => boolean;
  /** Why a device must not register from this peer, or null. */
  refusalOf: (deviceId: string, peer: Peer) => string | null;
  /** Called each time an endpoint of a device is refused for such a reason. */
  wasRefused?: (endpoint: string, peer: Peer) => void;
  /** Called each time an endpoint is refused because no device has it. */
  wasUnknown?: (endpoint: string, peer: Peer) => void;
  /** Whether all configured devices are known. */
  synced: () => boolean;
  changed: (registration: Registration, what: RegistrationChange) => void;
  /** Another device is at the address of the registration now. */
  displaced: (registration: Registration) => void;
  clock: Clock;
  log: Log;
}): Registrations {
  const refusals = createRefusalLog(clock, log);
  const strangers = createStrangerLimit(clock);
  const byId = new Map<string, Registration>();
  const byDevice = new Map<string, Registration>();
  const addresses = createAddresses(displaced);
  /** Restored after a restart; the name may have gone to another device meanwhile, or to none. Later `drop` is called. */
  const doubtful = new Set(restored);
  const wheel = createLifetimeWheel(clock, (id) => {
    const registration = byId.get(id);
    if (registration && alive(registration)) wheel.set(id, registration.expiresAt);
    else if (registration) remove(registration, 'the lifetime of a registration ended');
  });
  // Of two at one address the one that spoke last has it.
  for (const registration of restored.toSorted((a, b) => a.heardAt - b.heardAt))
    if (registration.expiresAt > clock.now()) keep(registration);

  function keep(registration: Registration): void {
    byId.set(registration.id, registration);
    byDevice.set(registration.deviceId, registration);
    addresses.take(registration);
    wheel.set(registration.id, registration.expiresAt);
  }

  /** A lifetime of 0 never ends (OMA Core 1.1, E.2: Lifetime). */
  function endOf(lifetimeS: number): number {
    return lifetimeS === 0 ? NEVER : clock.now() + lifetimeS * 1000;
  }

  function forget(registration: Registration): void {
    byId.delete(registration.id);
    byDevice.delete(registration.deviceId);
    addresses.leave(registration);
    doubtful.delete(registration);
    wheel.remove(registration.id);
  }

  function remove(registration: Registration, text: string): void {
    forget(registration);
    log.info({ endpoint: registration.endpoint, deviceId: registration.deviceId }, text);
    changed(registration, 'gone');
  }

  /** The code for an endpoint that must not register, else null. */
  function refusalFor(endpoint: string, peer: Peer): number | null {
    const deviceId = deviceFor(endpoint, peer);
    const facts = { host: peer.address, endpoint: endpoint.slice(0, 64), deviceId };
    if (deviceId === null) {
      // After a start not all endpoints are known yet; a refusal could silence a device for hours.
      if (!synced()) return Code.SERVICE_UNAVAILABLE;
      refusals.add('an unknown endpoint was refused', facts);
      wasUnknown?.(endpoint, peer);
      return Code.FORBIDDEN;
    }
    const refusal = refusalOf(deviceId, peer);
    if (refusal === null) return null;
    refusals.add('a device was refused', { ...facts, refusal });
    wasRefused?.(endpoint, peer);
    return Code.FORBIDDEN;
  }

  function register(request: CoapRequest): CoapReply {
    const parameters = parseRegistration(request);
    if (typeof parameters === 'number') return { code: parameters };
    const { version } = parameters;
    // The name is optional where the key says which device it is (OMA Core 1.1, 6.2.1).
    const endpoint = parameters.endpoint ?? provenName(request.peer);
    if (endpoint === null) return { code: Code.BAD_REQUEST };
    const refused = refusalFor(endpoint, request.peer);
    if (refused !== null) return { code: refused };
    const deviceId = deviceFor(endpoint, request.peer);
    if (deviceId === null) return { code: Code.FORBIDDEN };
    const former = byDevice.get(deviceId);
    if (!former && byId.size >= MAX_REGISTRATIONS) return { code: Code.SERVICE_UNAVAILABLE };
    // A new Register replaces the old registration and its location (OMA Core 1.1, 6.2.1).
    if (former) forget(former);
    const lifetimeS = parameters.lifetimeS ?? DEFAULT_LIFETIME_S;
    const registration: Registration = {
      id: randomBytes(8).toString('hex'),
      endpoint,
      deviceId,
      peer: request.peer,
      // `lwm2m` was optional in 1.0.
      version: version ?? '1.0',
      queueMode: parameters.queueMode ?? false,
      lifetimeS,
      expiresAt: endOf(lifetimeS),
      heardAt: clock.now(),
      objectsAt: clock.now(),
      ...saidIn(parameters.links),
    };
    keep(registration);
    log.info({ endpoint, deviceId, peer: request.peer, lifetimeS }, 'a device registered');
    changed(registration, 'registered');
    return { code: Code.CREATED, locationPath: ['rd', registration.id] };
  }

  function update(registration: Registration, request: CoapRequest): CoapReply {
    const parameters = parseRegistration(request);
    if (typeof parameters === 'number') return { code: parameters };
    const { endpoint, lifetimeS, links, queueMode } = parameters;
    if (endpoint !== null && endpoint !== registration.endpoint) return { code: Code.BAD_REQUEST };
    const { peer } = registration;
    const isMoved =
      !isSamePeer(peer, request.peer) || peer.proven?.session !== request.peer.proven?.session;
    const isOther =
      isMoved ||
      (lifetimeS ?? registration.lifetimeS) !== registration.lifetimeS ||
      (queueMode ?? registration.queueMode) !== registration.queueMode;
    if (isMoved || addresses.isTaken(peer)) {
      addresses.leave(registration);
      registration.peer = request.peer;
      addresses.take(registration);
    } else if (addresses.isShared(peer)) addresses.take(registration);
    const before = registration.expiresAt;
    registration.lifetimeS = lifetimeS ?? registration.lifetimeS;
    registration.expiresAt = endOf(registration.lifetimeS);
    registration.heardAt = clock.now();
    registration.queueMode = queueMode ?? registration.queueMode;
    if (links) relink(registration, links, registration.heardAt);
    if (registration.expiresAt < before) wheel.set(registration.id, registration.expiresAt);
    changed(registration, isOther || links ? 'updated' : 'heard');
    return { code: Code.CHANGED };
  }

  function alive(registration: Registration | undefined): Registration | null {
    return registration && registration.expiresAt > clock.now() ? registration : null;
  }

  /** Only a registered device reports by itself (OMA Core 1.1, 6.4.6: Send). */
  function refusalOfSend(method: string, peer: Peer): number | 'silent' | null {
    if (alive(addresses.at(peer))) return method === 'POST' ? null : Code.METHOD_NOT_ALLOWED;
    if (strangers.takes(peer.address)) return Code.NOT_FOUND;
    refusals.count();
    return 'silent';
  }

  return {
    refusalBefore({ method, path: [root, id, ...more], query, peer }) {
      if (root === 'dp' && id === undefined) return refusalOfSend(method, peer);
      if (root !== 'rd' || more.length > 0) return Code.NOT_FOUND;
      if (id !== undefined) return ownedBy(byId.get(id), peer) ? null : Code.NOT_FOUND;
      if (method !== 'POST') return Code.METHOD_NOT_ALLOWED;
      const endpoint = nameIn(query) ?? provenName(peer) ?? '';
      if (endpoint === '') return Code.BAD_REQUEST;
      if (synced() && deviceFor(endpoint, peer) === null && !strangers.takes(peer.address)) {
        refusals.count();
        return 'silent';
      }
      return refusalFor(endpoint, peer);
    },
    contested({ method, path: [root, id, ...more], query, peer }) {
      // Over DTLS the key tells two devices apart, whatever their addresses.
      if (root !== 'rd' || more.length > 0 || peer.proven) return null;
      if (id !== undefined) {
        // The location is a secret of the device: only another host is doubtful.
        const own = alive(byId.get(id));
        const isDoubtful = own && !own.peer.proven && method !== 'GET';
        return isDoubtful && !isSameHost(own.peer, peer) ? own : null;
      }
      const endpoint = nameIn(query) ?? '';
      const deviceId = method === 'POST' ? deviceFor(endpoint, peer) : null;
      const former = deviceId === null ? null : alive(byDevice.get(deviceId));
      return former && !former.peer.proven && !isSamePeer(former.peer, peer) ? former : null;
    },
    answer(request) {
      const [root, id, ...more] = request.path;
      if (root !== 'rd' || more.length > 0) return { code: Code.NOT_FOUND };
      if (id === undefined)
        return request.method === 'POST' ? register(request) : { code: Code.METHOD_NOT_ALLOWED };
      const registration = ownedBy(byId.get(id), request.peer);
      if (!registration || registration.expiresAt <= clock.now()) return { code: Code.NOT_FOUND };
      if (doubtful.has(registration) && synced()) {
        doubtful.delete(registration);
        if (!holds(registration.deviceId, registration.endpoint)) {
          remove(registration, 'a registration lost its device');
          return { code: Code.NOT_FOUND };
        }
      }
      if (request.method === 'POST') return update(registration, request);
      if (request.method !== 'DELETE') return { code: Code.METHOD_NOT_ALLOWED };
      remove(registration, 'a device de-registered');
      return { code: Code.DELETED };
    },
    of: (deviceId) => alive(byDevice.get(deviceId)) ?? undefined,
    at: (peer) => alive(addresses.at(peer)) ?? undefined,
    isTaken: addresses.isTaken,
    strayed: addresses.strayed,
    drop(deviceId) {
      const registration = byDevice.get(deviceId);
      if (registration) remove(registration, 'a registration lost its device');
    },
    all: () => [...byId.values()],
    close() {
      wheel.stop();
      refusals.close();
    },
  };
}

/** The registration if this peer may update or end it: over DTLS only a session with a key of the same device may. */
const ownedBy = (registration: Registration | undefined, { proven }: Peer): Registration | null =>
  registration && registration.peer.proven?.deviceId === proven?.deviceId ? registration : null;

/** Takes the links of an Update; other formats than before make void what was learned about them. */
function relink(registration: Registration, links: readonly Link[], objectsAt: number): void {
  const said = saidIn(links);
  if (said.contentFormats.join() !== registration.contentFormats.join()) delete registration.spoken;
  Object.assign(registration, said, { objectsAt });
}
