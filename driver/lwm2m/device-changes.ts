import type { DriverDevice } from '../sdk/driver.ts';
import type { Running } from './running.ts';

/** A registration belongs to the owner of its name: ends it when the name moves to another device. */
export function deviceChanged(device: DriverDevice, running: Running): void {
  const { registered, observer } = running;
  const { registrations, changes, endpoints, psk } = registered;
  observer.changed(device);
  if (psk.changed(device)) endSession(device, running);
  for (const deviceId of endpoints.changed(device)) registrations.drop(deviceId);
  changes.keepOnly(device, device.claim?.endpoint ?? null);
  const registration = registrations.of(device.id);
  if (!registration) return;
  const isOwn = endpoints.endpointOf(device.id) === registration.endpoint;
  if (!isOwn || registered.refusalOf(registration.peer, device)) registrations.drop(device.id);
}

export function deviceRemoved(device: Pick<DriverDevice, 'id'>, running: Running): void {
  const { registered, observer, ports } = running;
  registered.endpoints.removed(device.id);
  registered.registrations.drop(device.id);
  registered.changes.keepOnly(device, null);
  registered.psk.removed(device.id);
  registered.objects.forget(device.id);
  observer.forget(device.id);
  registered.queueModeDevices.forget(device.id);
  registered.bootstraps.forget(device.id);
  registered.forgetLeft(device.id);
  ports.endOf(device.id);
}

/** A session that was opened with a former key must not outlive it. */
function endSession(device: DriverDevice, { registered, ports, sessions }: Running): void {
  const { registrations, psk, gaps } = registered;
  const own = registrations.of(device.id);
  const wasReachable = own !== undefined && ports.isReachable(own.peer);
  ports.endOf(device.id, (mark) => psk.useOf(device.id, mark) !== null);
  const isRefused = !sessions.restore(device.id);
  // After a restart a device without a session may only be between two of them.
  const isEnded = wasReachable || isRefused;
  if (own && isEnded && !ports.isReachable(own.peer)) gaps.ended(own);
}
