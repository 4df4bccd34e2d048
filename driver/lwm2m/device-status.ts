import type { Driver, DriverDevice } from '../sdk/driver.ts';
import { networksIn } from './presence/trusted-network.ts';
import type { Registration } from './registration/registration.ts';
import type { Running } from './running.ts';
import { bootstrapProblem } from './security/account.ts';
import { portProblem } from './security/named-port.ts';
import { nextKeyProblem, pskProblem, type PskIndex } from './security/psk-index.ts';
import { securityModeOf } from './security/refusal.ts';

/** What a device that is not registered has to know about its security mode. */
const WAITS = {
  NOSEC: null,
  PSK: 'securityMode is PSK: the device has to come over DTLS',
  UNKNOWN: 'securityMode is neither NOSEC nor PSK: the device is refused',
} as const;

/** `running` is null before the start and after the stop of the driver; so it is below. */
export function statusOf(
  device: DriverDevice,
  running: Running | null,
): ReturnType<Driver['status']> {
  const own = running?.registered.of(device);
  if (running && own && running.ports.isReachable(own.peer)) {
    running.registered.gaps.isOver(own);
    return { status: 'ONLINE', description: textOfReachable(device, own, running) };
  }
  const isHere = own !== undefined && running?.registered.gaps.isBetween(own);
  return { status: isHere ? 'ONLINE' : 'OFFLINE', description: textOfUnreachable(device, running) };
}

/** Why requests do not reach the device, as text for people. */
export function textOfUnreachable(device: DriverDevice, running: Running | null): string {
  const endpoint = device.configs['endpoint'] ?? '';
  if (endpoint !== '' && running?.registered.endpoints.endpointOf(device.id) !== endpoint)
    return 'not registered: the endpoint belongs to another device';
  const own = running?.registered.of(device);
  if (own?.peer.proven) return 'registered, but its DTLS session is over';
  if (own) return 'registered, but another device is at its address now';
  const problem = problemOf(device, running);
  if (problem === null && running?.registered.hasLeft(device.id))
    return 'not registered any more: it left, or did not renew its registration in time';
  const waits = problem ?? WAITS[securityModeOf(device)];
  return waits === null ? 'not registered' : `not registered: ${waits}`;
}

/** What in its settings, or in a bootstrap under way, keeps the device from registering. */
const problemOf = (device: DriverDevice, running: Running | null): string | null =>
  running?.registered.bootstraps.stateOf(device.id) ??
  portProblem(device, running?.ports.listening() ?? []) ??
  networkProblem(device) ??
  pskProblem(device) ??
  bootstrapProblem(device);

function textOfReachable(
  device: DriverDevice,
  registration: Registration,
  { registered: { psk, queueModeDevices } }: Running,
): string {
  const known = textOfKey(device, registration, psk);
  if (!registration.queueMode) return known;
  const isAwake = queueModeDevices.isAwake(device, registration);
  return `${known}, queue mode, ${isAwake ? 'awake' : 'asleep until it reports'}`;
}

function networkProblem({ configs }: DriverDevice): string | null {
  return networksIn(configs['trustedNetworks'] ?? '')
    ? null
    : 'trustedNetworks is no list of networks';
}

/** Its version and, of two keys, which it proved. */
function textOfKey(
  device: DriverDevice,
  { version, peer: { proven } }: Registration,
  psk: PskIndex,
): string {
  const known = `registered, LwM2M ${version}`;
  const problem = nextKeyProblem(device) ?? networkProblem(device);
  if (problem !== null) return `${known}; ${problem}`;
  if ((device.configs['pskNextKey'] ?? '').trim() === '' || !proven?.mark) return known;
  const use = psk.useOf(device.id, proven.mark);
  if (use === 'next') return `${known}, with pskNextKey, which can become its pskKey now`;
  return use === 'current' ? `${known}, still with pskKey and not with pskNextKey` : known;
}
