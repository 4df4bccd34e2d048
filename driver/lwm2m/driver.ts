import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { Driver, DriverDevice } from '../sdk/driver.ts';
import { driverAttributes, pointAttributes } from './attributes.ts';
import { deviceChanged, deviceRemoved } from './device-changes.ts';
import { createRequests } from './device-requests.ts';
import { statusOf } from './device-status.ts';
import { typesOf } from './operation/call.ts';
import { commandLifeMsOf } from './presence/queue-mode.ts';
import { trustedNetworkOf } from './presence/trusted-network.ts';
import { textOf } from './registration/peer-changes.ts';
import { hostOf } from './registration/peer.ts';
import type { Registration } from './registration/registration.ts';
import { openRunning, type Running } from './running.ts';
import { namesOf } from './security/named-port.ts';
import type { Lwm2mPlaces } from './security/ports.ts';
import { decoded } from './trace/decoded.ts';

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

  const registrationOf = (device: DriverDevice): Registration | undefined =>
    running?.registered.of(device);

  const placesNow = () => running?.ports.listening() ?? [];

  return {
    code: 'Lwm2mDriver',
    name: 'LwM2M Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes,
    pointAttributes,
    readCron: '0/30 * * * * ?',
    customCron: '0/5 * * * * ?',
    ...createRequests(() => running, clock),
    async start(host) {
      running = await openRunning({ host, places, clock, log, dataDir });
    },
    listening: placesNow,
    takes: () => namesOf(placesNow()),
    deviceChanged(device) {
      if (!running) return;
      deviceChanged(device, running);
      // What keeps it away from now on may be its settings.
      running.registered.forgetLeft(device.id);
    },
    deviceRemoved(device) {
      if (!running) return;
      deviceRemoved(device, running);
      running.traces.forget(device.id);
    },
    trace(device) {
      const since = running?.traces.since ?? clock.now();
      const { dropped, exchanges } = running?.traces.of(device.id) ?? { dropped: 0, exchanges: [] };
      const typeAt = typesOf(device);
      return { since, dropped, exchanges: exchanges.map((one) => decoded(one, typeAt)) };
    },
    heldMs(device) {
      const registration = registrationOf(device);
      return registration ? clock.now() - registration.heardAt : null;
    },
    peer(device) {
      const registration = registrationOf(device);
      if (!registration) return null;
      const last = running?.registered.changes.lastOf(device);
      const change = last && {
        id: last.id,
        from: hostOf(last.from),
        to: hostOf(last.to),
        at: last.at,
      };
      // Of one trusted network all addresses are one.
      const host = trustedNetworkOf(device, registration.peer) ?? hostOf(registration.peer);
      return { host, change: change ?? null };
    },
    peerChanged({ id: deviceId, claim }, { id, from, to, at }) {
      if (!claim) return;
      const { endpoint, acknowledged } = claim;
      const peers = { from: { address: from }, to: { address: to } };
      const change = { id, endpoint, deviceId, ...peers, at, reported: acknowledged === id };
      running?.registered.changes.add(change);
    },
    taken(device) {
      if (registrationOf(device)) running?.registered.registrations.drop(device.id);
    },
    reportedMs: (device, point) => running?.observer.reportedMs(device, point) ?? null,
    async custom() {
      running?.observer.sweep();
      running?.sessions.sweep();
    },
    status: (device) => statusOf(device, running),
    sleeper(device) {
      const registration = registrationOf(device);
      if (!running || !registration?.queueMode) return null;
      const isAwake = running.registered.isAwake(device, registration);
      return { isAwake, commandLifeMs: commandLifeMsOf(device, registration) };
    },
    doubt(device) {
      const change = running?.registered.changes.openFor(device);
      return change ? { code: 'PEER_CHANGED', message: textOf(change) } : null;
    },
    async stop() {
      const stopping = running;
      running = null;
      await stopping?.stop();
    },
  };
}
