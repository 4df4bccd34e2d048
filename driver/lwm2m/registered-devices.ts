import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { Peer } from '../coap/contract.ts';
import type { DriverDevice, DriverHost } from '../sdk/driver.ts';
import type { Observer } from './observation/observer.ts';
import { type ClaimAlarms, createClaimAlarms } from './presence/claim-alarms.ts';
import { createQueueMode, type QueueModeDevices } from './presence/queue-mode.ts';
import { createSessionGaps, type SessionGaps } from './presence/session-gap.ts';
import { createObjectReport, type ObjectReport } from './registration/object-report.ts';
import {
  createPeerChanges,
  type PeerChange,
  type PeerChanges,
} from './registration/peer-changes.ts';
import {
  type Registration,
  type RegistrationChange,
  Registrations,
} from './registration/registration.ts';
import type { RegistrationStore } from './registration/store.ts';
import { createWaitingEndpoints, type WaitingEndpoints } from './registration/waiting-endpoints.ts';
import { Bootstraps } from './security/bootstrap.ts';
import { claimedBy, isFree } from './security/claimed-device.ts';
import { createEndpointIndex } from './security/endpoint-index.ts';
import { portProblem } from './security/named-port.ts';
import type { Lwm2mPorts } from './security/ports.ts';
import { createPskIndex, factoryDigestOf } from './security/psk-index.ts';
import { refusalFrom } from './security/refusal.ts';

/** Devices of one name that get an alarm for one claim. */
const MAX_ALARMED = 8;

/** What is there once the ports are open. */
export type Opened = { ports: Lwm2mPorts; observer: Observer };

type Parts = {
  host: DriverHost;
  /** Null: nothing outlives a restart. */
  store: RegistrationStore | null;
  restored: { registrations: readonly Registration[]; changes: readonly PeerChange[] };
  opened: () => Opened | null;
  clock: Clock;
  log: Log;
};

/** The registrations of devices, and what follows from each: what is stored, reported, ended and alarmed. */
export class RegisteredDevices {
  readonly endpoints = createEndpointIndex();
  readonly psk = createPskIndex();
  readonly registrations: Registrations;
  readonly objects: ObjectReport;
  readonly changes: PeerChanges;
  readonly queueModeDevices: QueueModeDevices;
  readonly bootstraps: Bootstraps;
  readonly gaps: SessionGaps;
  readonly #parts: Parts;
  readonly #claims: ClaimAlarms;
  readonly #waiting: WaitingEndpoints;
  /** Ids of devices: each lost its registration and has not registered again. */
  readonly #left = new Set<string>();

  constructor(parts: Parts) {
    const { host, store, opened, clock, log } = parts;
    const { registrations: restored, changes } = parts.restored;
    const { psk, endpoints } = this;
    this.#parts = parts;
    for (const { deviceId, spent } of restored) if (spent) psk.spend(deviceId, spent);
    this.#claims = createClaimAlarms({ host, clock, log });
    this.objects = createObjectReport({ restored, host, clock, log });
    this.#waiting = createWaitingEndpoints({ host, clock, log });
    this.changes = createPeerChanges({
      restored: changes,
      host,
      saved: {
        put: (change) => store?.putChange(change),
        remove: (deviceId) => store?.removeChange(deviceId),
      },
      clock,
      log,
    });
    this.gaps = createSessionGaps(clock);
    this.queueModeDevices = createQueueMode(clock, (deviceId) => {
      const device = host.devices().get(deviceId);
      if (device) host.woke(device);
    });
    this.bootstraps = new Bootstraps({
      host,
      psk,
      ports: () => opened()?.ports ?? null,
      clock,
      log,
    });
    this.registrations = new Registrations({
      restored,
      provenName: ({ proven }) => (proven ? endpoints.endpointOf(proven.deviceId) : null),
      deviceFor: (endpoint, peer) => claimedBy(peer, endpoint, endpoints),
      holds: (deviceId, endpoint) => endpoints.endpointOf(deviceId) === endpoint,
      refusalOf: (deviceId, peer) => {
        const device = host.devices().get(deviceId);
        return device ? this.refusalOf(peer, device) : null;
      },
      wasRefused: (endpoint, peer) => this.#wasRefused(endpoint, peer),
      wasUnknown: (endpoint, peer) => this.#waiting.refused(endpoint, peer),
      synced: () => host.synced(),
      changed: (registration, what) => this.#changed(registration, what),
      displaced({ deviceId, peer: { address, port } }) {
        log.info({ deviceId, address, port }, 'another device is at the address of a device');
        // What the other device reports under its tokens is not of this one.
        opened()?.observer.forget(deviceId);
      },
      clock,
      log,
    });
  }

  /** Of the device under its own name. */
  of(device: DriverDevice): Registration | undefined {
    const registration = this.registrations.of(device.id);
    return registration?.endpoint === this.endpoints.endpointOf(device.id)
      ? registration
      : undefined;
  }

  /** Why the device must not register from this peer, or null. */
  refusalOf(peer: Peer, device: DriverDevice): string | null {
    const listening = this.#parts.opened()?.ports.listening() ?? [];
    return refusalFrom(peer, device) ?? portProblem(device, listening);
  }

  isAwake(device: DriverDevice, registration: Registration): boolean {
    return !registration.queueMode || this.queueModeDevices.isAwake(device, registration);
  }

  /** Whether the device was registered here before: nothing in its settings keeps it away. */
  hasLeft(deviceId: string): boolean {
    return this.#left.has(deviceId);
  }

  forgetLeft(deviceId: string): void {
    this.#left.delete(deviceId);
  }

  close(): void {
    this.queueModeDevices.stop();
    this.objects.close();
    this.#waiting.close();
    this.registrations.close();
    this.changes.close();
    this.bootstraps.close();
  }

  #wasRefused(endpoint: string, peer: Peer): void {
    const { host } = this.#parts;
    for (const deviceId of this.endpoints.ownersOf(endpoint).slice(0, MAX_ALARMED)) {
      const device = host.devices().get(deviceId);
      const refusal = device && this.refusalOf(peer, device);
      if (!refusal) continue;
      this.#left.delete(deviceId);
      this.#claims.tried(device, peer, refusal);
    }
    if (isFree(endpoint, peer, this.endpoints, host)) this.#waiting.refused(endpoint, peer);
  }

  #changed(registration: Registration, what: RegistrationChange): void {
    const { host, opened } = this.#parts;
    const { deviceId } = registration;
    // Most messages change nothing that the host has to know.
    const isNewer = what === 'registered' || what === 'gone';
    const device = isNewer && host.devices().get(deviceId);
    if (device && what === 'registered') this.#spend(registration, device);
    this.#keep(registration, what);
    if (device) host.stateChanged(device);
    if (what === 'registered') this.#left.delete(deviceId);
    if (what === 'gone') {
      if (host.devices().has(deviceId)) this.#left.add(deviceId);
      opened()?.observer.forget(deviceId);
      return this.queueModeDevices.forget(deviceId);
    }
    this.queueModeDevices.spoke(registration, what === 'registered');
    opened()?.observer.heard(deviceId);
  }

  /** The first registration with its own key ends what the key of its factory was for. */
  #spend(registration: Registration, device: DriverDevice): void {
    const { psk } = this;
    this.bootstraps.forget(device.id);
    const digest = registration.peer.proven ? factoryDigestOf(device) : null;
    if (digest === null) return;
    registration.spent = digest;
    psk.spend(device.id, digest);
    if (!psk.changed(device)) return;
    this.#parts.opened()?.ports.endOf(device.id, (mark) => psk.useOf(device.id, mark) !== null);
  }

  #keep(registration: Registration, what: RegistrationChange): void {
    const { store } = this.#parts;
    if (what === 'gone') return store?.remove(registration.deviceId);
    if (what === 'heard') return store?.heard(registration);
    store?.put(registration);
    this.objects.registered(registration);
  }
}
