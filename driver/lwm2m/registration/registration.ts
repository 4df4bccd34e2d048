import { randomBytes } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { CoapReply, CoapRequest, Peer } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import { type Addresses, createAddresses } from './addresses.ts';
import type { SavedRegistration } from './journal.ts';
import { createLifetimeWheel, expiryOf, type LifetimeWheel } from './lifetime-wheel.ts';
import { isSameHost, isSamePeer } from './peer.ts';
import { createRefusalLog, type RefusalLog } from './refusal-log.ts';
import { relink, contentOfLinks } from './registered-objects.ts';
import { nameIn, parseRegistration } from './request.ts';
import { createUnknownPeerLimit, type UnknownPeerLimit } from './unknown-peer-limit.ts';

/** A registered device: its address, lifetime and capabilities. */
export type Registration = SavedRegistration;

/** OMA Core 1.1, 6.2.1: the lifetime of a Register without `lt`. */
const DEFAULT_LIFETIME_S = 86_400;
const MAX_REGISTRATIONS = 100_000;

/** A registration was added; changed; went on as it is; ended. */
export type RegistrationChange = 'registered' | 'updated' | 'heard' | 'gone';

type Parts = {
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
};

export class Registrations {
  readonly #parts: Parts;
  readonly #refusals: RefusalLog;
  readonly #unknownPeers: UnknownPeerLimit;
  readonly #byId = new Map<string, Registration>();
  readonly #byDevice = new Map<string, Registration>();
  readonly #addresses: Addresses;
  /** Restored after a restart; the name may have gone to another device meanwhile, or to none. Later `drop` is called. */
  readonly #doubtful: Set<Registration>;
  readonly #wheel: LifetimeWheel;

  constructor(parts: Parts) {
    const { clock, log, displaced, restored } = parts;
    this.#parts = parts;
    this.#refusals = createRefusalLog(clock, log);
    this.#unknownPeers = createUnknownPeerLimit(clock);
    this.#addresses = createAddresses(displaced);
    this.#doubtful = new Set(restored);
    this.#wheel = createLifetimeWheel(clock, (id) => {
      const registration = this.#byId.get(id);
      if (registration && this.#alive(registration)) this.#wheel.set(id, registration.expiresAt);
      else if (registration) this.#remove(registration, 'the lifetime of a registration ended');
    });
    // Of two at one address the one that spoke last has it.
    for (const registration of restored.toSorted((a, b) => a.heardAt - b.heardAt))
      if (registration.expiresAt > clock.now()) this.#keep(registration);
  }

  /**
   * The code that refuses a request by its head alone, before its payload is accepted; else null. `silent`:
   * unknown endpoints send too many requests.
   */
  refusalBefore({
    method,
    path: [root, id, ...more],
    query,
    peer,
  }: Omit<CoapRequest, 'payload'>): number | 'silent' | null {
    const { provenName, synced, deviceFor } = this.#parts;
    if (root === 'dp' && id === undefined) return this.#refusalOfSend(method, peer);
    if (root !== 'rd' || more.length > 0) return Code.NOT_FOUND;
    if (id !== undefined) return ownedBy(this.#byId.get(id), peer) ? null : Code.NOT_FOUND;
    if (method !== 'POST') return Code.METHOD_NOT_ALLOWED;
    const endpoint = nameIn(query) ?? provenName(peer) ?? '';
    if (endpoint === '') return Code.BAD_REQUEST;
    if (synced() && deviceFor(endpoint, peer) === null && !this.#unknownPeers.takes(peer.address)) {
      this.#refusals.count();
      return 'silent';
    }
    return this.#refusalFor(endpoint, peer);
  }

  /** The living registration that a request from another address would move or end; else null. */
  contested({ method, path: [root, id, ...more], query, peer }: CoapRequest): Registration | null {
    // Over DTLS the key tells two devices apart, whatever their addresses.
    if (root !== 'rd' || more.length > 0 || peer.proven) return null;
    if (id !== undefined) {
      // The location is a secret of the device: only another host is doubtful.
      const own = this.#alive(this.#byId.get(id));
      const isDoubtful = own && !own.peer.proven && method !== 'GET';
      return isDoubtful && !isSameHost(own.peer, peer) ? own : null;
    }
    const endpoint = nameIn(query) ?? '';
    const deviceId = method === 'POST' ? this.#parts.deviceFor(endpoint, peer) : null;
    const former = deviceId === null ? null : this.#alive(this.#byDevice.get(deviceId));
    return former && !former.peer.proven && !isSamePeer(former.peer, peer) ? former : null;
  }

  /** Answers requests to /rd and below (OMA Core 1.1, 6.2); a Register gets the location, if one is given. */
  answer(request: CoapRequest, location?: string): CoapReply {
    const { clock, synced, holds } = this.#parts;
    const [root, id, ...more] = request.path;
    if (root !== 'rd' || more.length > 0) return { code: Code.NOT_FOUND };
    if (id === undefined)
      return request.method === 'POST'
        ? this.#register(request, location)
        : { code: Code.METHOD_NOT_ALLOWED };
    const registration = ownedBy(this.#byId.get(id), request.peer);
    if (!registration || registration.expiresAt <= clock.now()) return { code: Code.NOT_FOUND };
    if (this.#doubtful.has(registration) && synced()) {
      this.#doubtful.delete(registration);
      if (!holds(registration.deviceId, registration.endpoint)) {
        this.#remove(registration, 'a registration lost its device');
        return { code: Code.NOT_FOUND };
      }
    }
    if (request.method === 'POST') return this.#update(registration, request);
    if (request.method !== 'DELETE') return { code: Code.METHOD_NOT_ALLOWED };
    this.#remove(registration, 'a device de-registered');
    return { code: Code.DELETED };
  }

  of(deviceId: string): Registration | undefined {
    return this.#alive(this.#byDevice.get(deviceId)) ?? undefined;
  }

  /** Of the device at this address, over DTLS of the one in this session. */
  at(peer: Peer): Registration | undefined {
    return this.#alive(this.#addresses.at(peer)) ?? undefined;
  }

  /** Whether another device spoke from this address since, see `Addresses`. */
  isTaken(peer: Peer): boolean {
    return this.#addresses.isTaken(peer);
  }

  /** The device at the second address spoke from the first one, though not to register. */
  strayed(to: Peer, from: Peer): void {
    this.#addresses.strayed(to, from);
  }

  /** Ends the registration of `deviceId`, as when its endpoint moved to another device or left its configs. */
  drop(deviceId: string): void {
    const registration = this.#byDevice.get(deviceId);
    if (registration) this.#remove(registration, 'a registration lost its device');
  }

  all(): Registration[] {
    return [...this.#byId.values()];
  }

  close(): void {
    this.#wheel.stop();
    this.#refusals.close();
  }

  #keep(registration: Registration): void {
    this.#byId.set(registration.id, registration);
    this.#byDevice.set(registration.deviceId, registration);
    this.#addresses.take(registration);
    this.#wheel.set(registration.id, registration.expiresAt);
  }

  #forget(registration: Registration): void {
    this.#byId.delete(registration.id);
    this.#byDevice.delete(registration.deviceId);
    this.#addresses.leave(registration);
    this.#doubtful.delete(registration);
    this.#wheel.remove(registration.id);
  }

  #remove(registration: Registration, text: string): void {
    const { log, changed } = this.#parts;
    this.#forget(registration);
    log.info({ endpoint: registration.endpoint, deviceId: registration.deviceId }, text);
    changed(registration, 'gone');
  }

  /** The code for an endpoint that must not register, else null. */
  #refusalFor(endpoint: string, peer: Peer): number | null {
    const { deviceFor, synced, wasUnknown, refusalOf, wasRefused } = this.#parts;
    const deviceId = deviceFor(endpoint, peer);
    const facts = { host: peer.address, endpoint: endpoint.slice(0, 64), deviceId };
    if (deviceId === null) {
      // After a start not all endpoints are known yet; a refusal could silence a device for hours.
      if (!synced()) return Code.SERVICE_UNAVAILABLE;
      this.#refusals.add('an unknown endpoint was refused', facts);
      wasUnknown?.(endpoint, peer);
      return Code.FORBIDDEN;
    }
    const refusal = refusalOf(deviceId, peer);
    if (refusal === null) return null;
    this.#refusals.add('a device was refused', { ...facts, refusal });
    wasRefused?.(endpoint, peer);
    return Code.FORBIDDEN;
  }

  #register(request: CoapRequest, location = randomBytes(8).toString('hex')): CoapReply {
    const { provenName, deviceFor, clock, log, changed } = this.#parts;
    const parameters = parseRegistration(request);
    if (typeof parameters === 'number') return { code: parameters };
    const { version } = parameters;
    // The name is optional where the key says which device it is (OMA Core 1.1, 6.2.1).
    const endpoint = parameters.endpoint ?? provenName(request.peer);
    if (endpoint === null) return { code: Code.BAD_REQUEST };
    const refused = this.#refusalFor(endpoint, request.peer);
    if (refused !== null) return { code: refused };
    const deviceId = deviceFor(endpoint, request.peer);
    if (deviceId === null) return { code: Code.FORBIDDEN };
    const former = this.#byDevice.get(deviceId);
    if (!former && this.#byId.size >= MAX_REGISTRATIONS) return { code: Code.SERVICE_UNAVAILABLE };
    // A new Register replaces the old registration and its location (OMA Core 1.1, 6.2.1).
    if (former) this.#forget(former);
    const lifetimeS = parameters.lifetimeS ?? DEFAULT_LIFETIME_S;
    const registration: Registration = {
      id: location,
      endpoint,
      deviceId,
      peer: request.peer,
      // `lwm2m` was optional in 1.0.
      version: version ?? '1.0',
      queueMode: parameters.queueMode ?? false,
      lifetimeS,
      expiresAt: expiryOf(lifetimeS, clock.now()),
      heardAt: clock.now(),
      objectsAt: clock.now(),
      ...contentOfLinks(parameters.links),
    };
    this.#keep(registration);
    log.info({ endpoint, deviceId, peer: request.peer, lifetimeS }, 'a device registered');
    changed(registration, 'registered');
    return { code: Code.CREATED, locationPath: ['rd', registration.id] };
  }

  #update(registration: Registration, request: CoapRequest): CoapReply {
    const { clock, changed } = this.#parts;
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
    if (isMoved || this.#addresses.isTaken(peer)) {
      this.#addresses.leave(registration);
      registration.peer = request.peer;
      this.#addresses.take(registration);
    } else if (this.#addresses.isShared(peer)) this.#addresses.take(registration);
    const before = registration.expiresAt;
    registration.lifetimeS = lifetimeS ?? registration.lifetimeS;
    registration.expiresAt = expiryOf(registration.lifetimeS, clock.now());
    registration.heardAt = clock.now();
    registration.queueMode = queueMode ?? registration.queueMode;
    if (links) relink(registration, links, registration.heardAt);
    if (registration.expiresAt < before) this.#wheel.set(registration.id, registration.expiresAt);
    changed(registration, isOther || links ? 'updated' : 'heard');
    return { code: Code.CHANGED };
  }

  #alive(registration: Registration | undefined): Registration | null {
    return registration && registration.expiresAt > this.#parts.clock.now() ? registration : null;
  }

  /** Only a registered device reports by itself (OMA Core 1.1, 6.4.6: Send). */
  #refusalOfSend(method: string, peer: Peer): number | 'silent' | null {
    if (this.#alive(this.#addresses.at(peer)))
      return method === 'POST' ? null : Code.METHOD_NOT_ALLOWED;
    if (this.#unknownPeers.takes(peer.address)) return Code.NOT_FOUND;
    this.#refusals.count();
    return 'silent';
  }
}

/** The registration if this peer may update or end it: over DTLS only a session with a key of the same device may. */
const ownedBy = (registration: Registration | undefined, { proven }: Peer): Registration | null =>
  registration && registration.peer.proven?.deviceId === proven?.deviceId ? registration : null;
