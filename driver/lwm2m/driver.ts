import { join } from 'node:path';

import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { Peer } from '../coap/contract.ts';
import { type Driver, type DriverDevice, DriverFailure, type DriverHost } from '../sdk/driver.ts';
import { textOfAbsent } from './absent-text.ts';
import { driverAttributes, pointAttributes } from './attributes.ts';
import { createClaimAlarms } from './claim-alarms.ts';
import { claimedBy, isFree } from './claimed-device.ts';
import type { Lwm2mPlaces } from './environment.ts';
import { updateFirmware } from './firmware/update.ts';
import { namesOf, portProblem } from './named-port.ts';
import { createObserver, type Observer } from './observation/observer.ts';
import { callOperation } from './operation/call.ts';
import { createPeerChanges, type PeerChanges, textOf } from './peer-changes.ts';
import { hostOf } from './peer.ts';
import { type Lwm2mPorts, openPorts } from './ports.ts';
import { presenceOf } from './presence.ts';
import { createPskIndex, type PskIndex } from './psk-index.ts';
import { textOfRegistered } from './registered-text.ts';
import { createEndpointIndex, type EndpointIndex } from './registration/endpoint-index.ts';
import { createObjectReport, type ObjectReport } from './registration/object-report.ts';
import {
  createRegistrations,
  type Registration,
  type Registrations,
} from './registration/registration.ts';
import { openRegistrationStore, type RegistrationStore } from './registration/store.ts';
import { createWaitingEndpoints, type WaitingEndpoints } from './registration/waiting.ts';
import { readResource, type Send, writeResource } from './resource-request.ts';
import { resourceOf } from './resource.ts';
import { refusalFrom } from './security.ts';
import { createTakeover } from './takeover.ts';

/** Devices of one name that get an alarm for one claim. */
const MAX_ALARMED = 8;

type Running = {
  endpoints: EndpointIndex;
  registrations: Registrations;
  changes: PeerChanges;
  store: RegistrationStore | null;
  psk: PskIndex;
  ports: Lwm2mPorts;
  observer: Observer;
  objects: ObjectReport;
  waiting: WaitingEndpoints;
};

/**
 * The LwM2M server as a driver: one UDP port in clear and one of DTLS for the devices of all tenants. Port 0 takes a
 * free one, which `listening()` answers after the start. Without `dataDir` registrations do not outlive a restart.
 */
export function createLwm2mDriver({
  places,
  clock,
  log,
  dataDir,
}: {
  places: Lwm2mPlaces;
  clock: Clock;
  log: Log;
  dataDir?: string;
}): Driver {
  let running: Running | null = null;

  function registrationOf(device: DriverDevice): Registration | undefined {
    const endpoint = running?.endpoints.endpointOf(device.id);
    const registration = running?.registrations.of(device.id);
    return registration?.endpoint === endpoint ? registration : undefined;
  }

  const placesNow = () => running?.ports.listening() ?? [];

  const refusalOf = (peer: Peer, device: DriverDevice): string | null =>
    refusalFrom(peer, device) ?? portProblem(device, placesNow());

  /** Throws `DriverFailure` for a device that is not registered or cannot be reached. */
  function reach(device: DriverDevice): { registration: Registration; send: Send } {
    const registration = registrationOf(device);
    const ports = running?.ports;
    if (!registration || !ports?.isReachable(registration.peer))
      throw new DriverFailure('DEVICE_OFFLINE', `the device is ${describe(device)}`);
    return { registration, send: (peer, request) => ports.request(peer, request) };
  }

  async function start(host: DriverHost): Promise<void> {
    const store = dataDir
      ? openRegistrationStore(join(dataDir, 'lwm2m-registrations.log'), { clock, log })
      : null;
    const restored = (await store?.load()) ?? { registrations: [], changes: [] };
    const endpoints = createEndpointIndex();
    const psk = createPskIndex();
    const claims = createClaimAlarms({ host, clock, log });
    const objects = createObjectReport({ restored: restored.registrations, host, clock, log });
    const waiting = createWaitingEndpoints({ host, clock, log });
    const registrations = createRegistrations({
      restored: restored.registrations,
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
        if (what === 'gone') store?.remove(registration.deviceId);
        else {
          store?.put(registration);
          objects.registered(registration);
        }
        const device = host.devices().get(registration.deviceId);
        if (device && what !== 'updated') host.stateChanged(device);
        if (what === 'gone') running?.observer.forget(registration.deviceId);
        else if (device) running?.observer.heard(device);
      },
      clock,
      log,
    });
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
    const answer = createTakeover({
      registrations,
      ask: async (registration) =>
        running ? presenceOf(registration, { ports: running.ports, clock }) : 'busy',
      changed(change) {
        changes.add(change);
        const device = host.devices().get(change.deviceId);
        if (device) host.stateChanged(device);
      },
      clock,
      log,
    });
    try {
      const ports = await openPorts({
        places,
        clock,
        log,
        keys: (identity) => psk.keysOf(identity),
        onRequest: answer,
        admit: (head) => registrations.refusalBefore(head),
      });
      const observer = createObserver({ host, ports, registrationOf, clock, log });
      running = {
        endpoints,
        registrations,
        changes,
        store,
        psk,
        ports,
        observer,
        objects,
        waiting,
      };
    } catch (error) {
      objects.close();
      waiting.close();
      registrations.close();
      changes.close();
      throw error;
    }
  }

  /** A registration belongs to the owner of its name: ends it when the name moves to another device. */
  function deviceChanged(device: DriverDevice): void {
    // A session that was opened with a former key must not outlive it.
    if (running?.psk.changed(device))
      running.ports.endOf(device.id, (mark) => running?.psk.useOf(device.id, mark) !== null);
    for (const deviceId of running?.endpoints.changed(device) ?? [])
      running?.registrations.drop(deviceId);
    running?.changes.keepOnly(device, device.claim?.endpoint ?? null);
    const registration = running?.registrations.of(device.id);
    if (!registration) return;
    const isOwn = running?.endpoints.endpointOf(device.id) === registration.endpoint;
    if (!isOwn || refusalOf(registration.peer, device)) running?.registrations.drop(device.id);
  }

  function describe(device: DriverDevice): string {
    const endpoint = device.configs['endpoint'] ?? '';
    if (endpoint !== '' && running?.endpoints.endpointOf(device.id) !== endpoint)
      return 'not registered: the endpoint belongs to another device';
    if (registrationOf(device)) return 'registered, but its DTLS session is over';
    return textOfAbsent(device, placesNow());
  }

  return {
    code: 'Lwm2mDriver',
    name: 'LwM2M Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes,
    pointAttributes,
    readCron: '0/30 * * * * ?',
    customCron: '0/5 * * * * ?',
    start,
    listening: placesNow,
    takes: () => namesOf(placesNow()),
    deviceChanged,
    deviceRemoved(device) {
      running?.endpoints.removed(device.id);
      running?.registrations.drop(device.id);
      running?.changes.keepOnly(device, null);
      running?.psk.removed(device.id);
      running?.objects.forget(device.id);
      running?.observer.forget(device.id);
      running?.ports.endOf(device.id);
    },
    heldMs(device) {
      const registration = registrationOf(device);
      return registration ? clock.now() - registration.heardAt : null;
    },
    peer(device) {
      const registration = registrationOf(device);
      if (!registration) return null;
      const last = running?.changes.lastOf(device);
      const change = last && {
        id: last.id,
        from: hostOf(last.from),
        to: hostOf(last.to),
        at: last.at,
      };
      return { host: hostOf(registration.peer), change: change ?? null };
    },
    peerChanged({ id: deviceId, claim }, { id, from, to, at }) {
      if (!claim) return;
      const { endpoint, acknowledged } = claim;
      const peers = { from: { address: from }, to: { address: to } };
      const change = { id, endpoint, deviceId, ...peers, at, reported: acknowledged === id };
      running?.changes.add(change);
    },
    taken(device) {
      const registration = registrationOf(device);
      if (registration) running?.registrations.drop(device.id);
    },
    reportedMs: (device, point) => running?.observer.reportedMs(device, point) ?? null,
    custom: async () => running?.observer.sweep(),
    status(device) {
      const registration = registrationOf(device);
      return registration && running?.ports.isReachable(registration.peer)
        ? { status: 'ONLINE', description: textOfRegistered(device, registration, running.psk) }
        : { status: 'OFFLINE', description: describe(device) };
    },
    doubt(device) {
      const change = running?.changes.openFor(device);
      return change ? { code: 'PEER_CHANGED', message: textOf(change) } : null;
    },
    async read(device, point, deadline) {
      const { registration, send } = reach(device);
      const rawValue = await readResource(send, { registration, ...resourceOf(point), deadline });
      return { rawValue, originTime: clock.now() };
    },
    async write(device, point, raw, deadline) {
      const { registration, send } = reach(device);
      await writeResource(send, { registration, ...resourceOf(point), deadline }, raw);
    },
    async call(device, command, params, deadline) {
      const { registration, send } = reach(device);
      return callOperation(send, { registration, deadline, device }, command, params);
    },
    firmware(device, update) {
      const { send } = reach(device);
      const registration = () => registrationOf(device) ?? null;
      return updateFirmware(update, { send, registration, clock });
    },
    async stop() {
      const stopping = running;
      running = null;
      stopping?.observer.stop();
      stopping?.objects.close();
      stopping?.waiting.close();
      await stopping?.ports.close();
      stopping?.registrations.close();
      stopping?.changes.close();
      await stopping?.store?.close();
    },
  };
}
