import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/log/log.ts';
import { CoapFailure } from '../coap/contract.ts';
import { type Driver, type DriverDevice, DriverFailure, type DriverHost } from '../sdk/driver.ts';
import { driverAttributes, pointAttributes } from './attributes.ts';
import { resourceOf } from './codec/resource.ts';
import type { Observe } from './firmware/object.ts';
import { updateFirmware } from './firmware/update.ts';
import { callOperation } from './operation/call.ts';
import { createCompositeReads } from './operation/composite-reads.ts';
import { readResource, type Send, writeResource } from './operation/request.ts';
import { commandLifeMsOf } from './presence/queue-mode-settings.ts';
import { createSessionGaps } from './presence/session-gap.ts';
import { textOfRegistered } from './registered-text.ts';
import { textOf } from './registration/peer-changes.ts';
import { hostOf } from './registration/peer.ts';
import type { Registration } from './registration/registration.ts';
import { openRunning, type Running } from './running.ts';
import { namesOf } from './security/named-port.ts';
import type { Lwm2mPlaces } from './security/ports.ts';
import { textOfAbsent } from './status-text.ts';

/**
 * The LwM2M server as a driver: one UDP port in clear and one of DTLS for the devices of all tenants. Port 0 takes a
 * free one, which `listening()` answers after the start. Without `dataDir` registrations do not outlive a restart.
 */
// oxlint-disable-next-line max-lines-per-function
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
  const composites = createCompositeReads(clock);
  const gaps = createSessionGaps(clock);

  const registrationOf = (device: DriverDevice): Registration | undefined =>
    running?.registrationOf(device);

  const placesNow = () => running?.ports.listening() ?? [];

  /** Throws `DriverFailure` for a device that is not registered or cannot be reached. */
  function reach(device: DriverDevice): { registration: Registration; send: Send } {
    const registration = registrationOf(device);
    const ports = running?.ports;
    if (!registration || !ports?.isReachable(registration.peer))
      throw new DriverFailure('DEVICE_OFFLINE', `the device is ${describe(device)}`);
    return { registration, send: (peer, request) => ports.request(peer, request) };
  }

  async function start(host: DriverHost): Promise<void> {
    running = await openRunning({ host, places, clock, log, dataDir });
  }

  /** A registration belongs to the owner of its name: ends it when the name moves to another device. */
  function deviceChanged(device: DriverDevice): void {
    if (!running) return;
    running.observer.changed(device);
    if (running.psk.changed(device)) endSession(running, device);
    for (const deviceId of running.endpoints.changed(device)) running.registrations.drop(deviceId);
    running.changes.keepOnly(device, device.claim?.endpoint ?? null);
    const registration = running.registrations.of(device.id);
    if (!registration) return;
    const isOwn = running.endpoints.endpointOf(device.id) === registration.endpoint;
    if (!isOwn || running.refusalOf(registration.peer, device))
      running.registrations.drop(device.id);
  }

  /** A session that was opened with a former key must not outlive it. */
  function endSession(
    { registrations, ports, psk, sessions }: Running,
    device: DriverDevice,
  ): void {
    const own = registrations.of(device.id);
    const wasReachable = own !== undefined && ports.isReachable(own.peer);
    ports.endOf(device.id, (mark) => psk.useOf(device.id, mark) !== null);
    const isRefused = !sessions.restore(device.id);
    // After a restart a device without a session may only be between two of them.
    const isEnded = wasReachable || isRefused;
    if (own && isEnded && !ports.isReachable(own.peer)) gaps.ended(own);
  }

  function describe(device: DriverDevice): string {
    const endpoint = device.configs['endpoint'] ?? '';
    if (endpoint !== '' && running?.endpoints.endpointOf(device.id) !== endpoint)
      return 'not registered: the endpoint belongs to another device';
    const own = registrationOf(device);
    if (own?.peer.proven) return 'registered, but its DTLS session is over';
    if (own) return 'registered, but another device is at its address now';
    const bootstrap = running?.bootstraps.stateOf(device.id);
    return bootstrap ? `not registered: ${bootstrap}` : textOfAbsent(device, placesNow());
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
      running?.queueModeDevices.forget(device.id);
      running?.bootstraps.forget(device.id);
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
    async custom() {
      running?.observer.sweep();
      running?.sessions.sweep();
    },
    status(device) {
      const own = registrationOf(device);
      if (own && running?.ports.isReachable(own.peer)) {
        gaps.isOver(own);
        return { status: 'ONLINE', description: descriptionOf(device, own, running) };
      }
      const isHere = own !== undefined && gaps.isBetween(own);
      return { status: isHere ? 'ONLINE' : 'OFFLINE', description: describe(device) };
    },
    sleeper(device) {
      const registration = registrationOf(device);
      if (!running || !registration?.queueMode) return null;
      const isAwake = running.queueModeDevices.isAwake(device, registration);
      return { isAwake, commandLifeMs: commandLifeMsOf(device, registration) };
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
    async readMany(device, points, deadline) {
      const { registration, send } = reach(device);
      return composites.read(send, { registration, deadline }, points);
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
      const observe: Observe = async (...given) => {
        if (!running) throw new CoapFailure('closed', 'the driver stops');
        return running.ports.observe(...given);
      };
      const registration = () => registrationOf(device) ?? null;
      const isAwake = (own: Registration): boolean =>
        !own.queueMode || running?.queueModeDevices.isAwake(device, own) === true;
      return updateFirmware(update, { send, observe, registration, isAwake, clock });
    },
    async stop() {
      const stopping = running;
      running = null;
      await stopping?.stop();
    },
  };
}

function descriptionOf(
  device: DriverDevice,
  registration: Registration,
  { psk, queueModeDevices }: Running,
): string {
  const known = textOfRegistered(device, registration, psk);
  if (!registration.queueMode) return known;
  const isAwake = queueModeDevices.isAwake(device, registration);
  return `${known}, queue mode, ${isAwake ? 'awake' : 'asleep until it reports'}`;
}
