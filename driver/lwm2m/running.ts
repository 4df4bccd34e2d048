import { join } from 'node:path';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/log/log.ts';
import type { Peer } from '../coap/contract.ts';
import type { DriverDevice, DriverHost } from '../sdk/driver.ts';
import { Observer } from './observation/observer.ts';
import { createSends } from './observation/send.ts';
import { createClaimAlarms } from './presence/claim-alarms.ts';
import { presenceOf } from './presence/presence.ts';
import { withQueueMode } from './presence/queue-mode-ports.ts';
import { createQueueMode, type QueueModeDevices } from './presence/queue-mode.ts';
import { createRestoredSessions, type RestoredSessions } from './presence/restored-sessions.ts';
import { createTakeover } from './presence/takeover.ts';
import { createObjectReport, type ObjectReport } from './registration/object-report.ts';
import { createPeerChanges, type PeerChanges } from './registration/peer-changes.ts';
import {
  type Registration,
  type RegistrationChange,
  Registrations,
} from './registration/registration.ts';
import { RegistrationStore } from './registration/store.ts';
import { createWaitingEndpoints } from './registration/waiting-endpoints.ts';
import { Bootstraps } from './security/bootstrap.ts';
import { claimedBy, isFree } from './security/claimed-device.ts';
import { createEndpointIndex, type EndpointIndex } from './security/endpoint-index.ts';
import { portProblem } from './security/named-port.ts';
import type { Lwm2mPlaces } from './security/ports.ts';
import { type Lwm2mPorts, openPorts } from './security/ports.ts';
import { createPskIndex, factoryDigestOf, type PskIndex } from './security/psk-index.ts';
import { refusalFrom } from './security/refusal.ts';

/** Devices of one name that get an alarm for one claim. */
const MAX_ALARMED = 8;

/** The parts of a started driver. */
export type Running = {
  endpoints: EndpointIndex;
  registrations: Registrations;
  /** Of the device under its own name. */
  registrationOf(device: DriverDevice): Registration | undefined;
  /** Why the device must not register from this peer, or null. */
  refusalOf(peer: Peer, device: DriverDevice): string | null;
  changes: PeerChanges;
  psk: PskIndex;
  ports: Lwm2mPorts;
  sessions: RestoredSessions;
  observer: Observer;
  objects: ObjectReport;
  queueModeDevices: QueueModeDevices;
  bootstraps: Bootstraps;
  stop(): Promise<void>;
};

/** Opens the ports and serves what registers there. Without `dataDir` nothing outlives a restart. */
// oxlint-disable-next-line max-lines-per-function
export async function openRunning({
  host,
  places,
  clock,
  log,
  dataDir,
}: {
  host: DriverHost;
  places: Lwm2mPlaces;
  clock: Clock;
  log: Log;
  dataDir: string | undefined;
}): Promise<Running> {
  const store = dataDir
    ? new RegistrationStore(join(dataDir, 'lwm2m-registrations.log'), { clock, log })
    : null;
  const restored = (await store?.load()) ?? { registrations: [], changes: [], sessions: [] };
  const endpoints = createEndpointIndex();
  const psk = createPskIndex();
  for (const { deviceId, spent } of restored.registrations) if (spent) psk.spend(deviceId, spent);
  const claims = createClaimAlarms({ host, clock, log });
  const objects = createObjectReport({ restored: restored.registrations, host, clock, log });
  const waiting = createWaitingEndpoints({ host, clock, log });
  const queueModeDevices = createQueueMode(clock, (deviceId) => {
    const device = host.devices().get(deviceId);
    if (device) host.woke(device);
  });
  let opened: { ports: Lwm2mPorts; observer: Observer } | null = null;

  const refusalOf = (peer: Peer, device: DriverDevice): string | null =>
    refusalFrom(peer, device) ?? portProblem(device, opened?.ports.listening() ?? []);

  const registrations = new Registrations({
    restored: restored.registrations,
    provenName: ({ proven }) => (proven ? endpoints.endpointOf(proven.deviceId) : null),
    deviceFor: (endpoint, peer) => claimedBy(peer, endpoint, endpoints),
    holds: (deviceId, endpoint) => endpoints.endpointOf(deviceId) === endpoint,
    refusalOf(deviceId, peer) {
      const device = host.devices().get(deviceId);
      return device ? refusalOf(peer, device) : null;
    },
    wasRefused(endpoint, peer) {
      for (const deviceId of endpoints.ownersOf(endpoint).slice(0, MAX_ALARMED)) {
        const device = host.devices().get(deviceId);
        const refusal = device && refusalOf(peer, device);
        if (refusal) claims.tried(device, peer, refusal);
      }
      if (isFree(endpoint, peer, endpoints, host)) waiting.refused(endpoint, peer);
    },
    wasUnknown: (endpoint, peer) => waiting.refused(endpoint, peer),
    synced: () => host.synced(),
    changed(registration, what) {
      const { deviceId } = registration;
      // Most messages change nothing that the host has to know.
      const isNewer = what === 'registered' || what === 'gone';
      const device = isNewer && host.devices().get(deviceId);
      if (device && what === 'registered') spend(registration, device);
      keep(store, objects, registration, what);
      if (device) host.stateChanged(device);
      if (what === 'gone') {
        opened?.observer.forget(deviceId);
        return queueModeDevices.forget(deviceId);
      }
      queueModeDevices.spoke(registration, what === 'registered');
      opened?.observer.heard(deviceId);
    },
    displaced({ deviceId, peer: { address, port } }) {
      log.info({ deviceId, address, port }, 'another device is at the address of a device');
      // What the other device reports under its tokens is not of this one.
      opened?.observer.forget(deviceId);
    },
    clock,
    log,
  });

  /** The first registration with its own key ends what the key of its factory was for. */
  function spend(registration: Registration, device: DriverDevice): void {
    bootstraps.forget(device.id);
    const digest = registration.peer.proven ? factoryDigestOf(device) : null;
    if (digest === null) return;
    registration.spent = digest;
    psk.spend(device.id, digest);
    if (psk.changed(device))
      opened?.ports.endOf(device.id, (mark) => psk.useOf(device.id, mark) !== null);
  }

  function registrationOf(device: DriverDevice): Registration | undefined {
    const registration = registrations.of(device.id);
    return registration?.endpoint === endpoints.endpointOf(device.id) ? registration : undefined;
  }

  const changes = createPeerChanges({
    restored: restored.changes,
    host,
    saved: {
      put: (change) => store?.putChange(change),
      remove: (deviceId) => store?.removeChange(deviceId),
    },
    clock,
    log,
  });
  const takeover = createTakeover({
    registrations,
    ask: async (registration) =>
      opened ? presenceOf(registration, { ports: opened.ports, clock }) : 'busy',
    changed(change) {
      changes.add(change);
      const device = host.devices().get(change.deviceId);
      if (device) host.stateChanged(device);
    },
    clock,
    log,
  });
  const bootstraps = new Bootstraps({
    host,
    psk,
    ports: () => opened?.ports ?? null,
    clock,
    log,
  });
  const sends = createSends({ registrations, queueModeDevices, host, clock, log });
  const closeParts = (): void => {
    queueModeDevices.stop();
    objects.close();
    waiting.close();
    registrations.close();
    changes.close();
    sends.close();
    bootstraps.close();
  };
  try {
    const bare = await openPorts({
      places,
      clock,
      log,
      keys: (identity) => psk.keysOf(identity),
      keeper: store?.sessions,
      async onRequest(request) {
        if (bootstraps.takes(request)) return bootstraps.answer(request);
        return request.path[0] === 'dp' ? sends.answer(request) : takeover(request);
      },
      strayed: (to, from) => registrations.strayed(to, from),
      admit: (head) =>
        bootstraps.takes(head) ? bootstraps.refusalBefore(head) : registrations.refusalBefore(head),
    });
    const ports = withQueueMode(bare, {
      registrationAt: (peer) => registrations.at(peer),
      isTaken: (peer) => registrations.isTaken(peer),
      queueModeDevices,
    });
    const isAwake = (device: DriverDevice, registration: Registration): boolean =>
      !registration.queueMode || queueModeDevices.isAwake(device, registration);
    const observer = new Observer({ host, ports, registrationOf, isAwake, clock, log });
    opened = { ports, observer };
    return {
      endpoints,
      registrations,
      registrationOf,
      refusalOf,
      changes,
      psk,
      ports,
      sessions: createRestoredSessions(restored.sessions, { host, store, psk, ports }),
      observer,
      objects,
      queueModeDevices,
      bootstraps,
      async stop() {
        opened = null;
        observer.stop();
        await ports.close();
        closeParts();
        await store?.close();
      },
    };
  } catch (error) {
    closeParts();
    throw error;
  }
}

function keep(
  store: RegistrationStore | null,
  objects: ObjectReport,
  registration: Registration,
  what: RegistrationChange,
): void {
  if (what === 'gone') return store?.remove(registration.deviceId);
  if (what === 'heard') return store?.heard(registration);
  store?.put(registration);
  objects.registered(registration);
}
