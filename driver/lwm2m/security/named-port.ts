import { networkInterfaces } from 'node:os';

import type { DriverDevice, Place } from '../../sdk/driver.ts';
import { securityModeOf } from './refusal.ts';

/** Addresses that a host with many of them may name. */
const MAX_HOSTS = 64;
/** Of the attributes: what a device has that names no port. */
const USUAL = { serverPort: '5683', securePort: '5684' } as const;
const SCHEMES = { serverPort: 'coap', securePort: 'coaps' } as const;
type Code = keyof typeof USUAL;

const portAt = (listening: readonly Place[], code: Code): number | undefined =>
  listening.find(({ scheme }) => scheme === SCHEMES[code])?.port;

/** The values with which the attributes that name a host or port name one of these places. */
export function namesOf(listening: readonly Place[]): Record<string, string[]> {
  const hosts = new Set(listening.flatMap(({ host }) => [host, ...hostsAt(host)]));
  const portsOf = (code: Code) => [portAt(listening, code)].flatMap((port) => port ?? []);
  return {
    ...(hosts.size > 0 && { serverHost: [...hosts].slice(0, MAX_HOSTS) }),
    ...Object.fromEntries(
      (['serverPort', 'securePort'] as const)
        .map((code) => [code, portsOf(code).map(String)] as const)
        .filter(([, ports]) => ports.length > 0),
    ),
  };
}

/** The addresses of this machine at which a socket of `host` listens, where that is all of them. */
function hostsAt(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const local = own.filter(({ family }) => host === '::' || family === 'IPv4');
  return ['0.0.0.0', ...local.map(({ address }) => address)];
}

/**
 * Why a device is not served where the driver listens, as text for people; null when it is. The usual port may be one
 * that the device does not name: it is the default.
 */
export function portProblem(
  device: Pick<DriverDevice, 'configs'>,
  listening: readonly Place[],
): string | null {
  const code = securityModeOf(device) === 'PSK' ? 'securePort' : 'serverPort';
  const named = (device.configs[code] ?? '').trim();
  const port = portAt(listening, code);
  if (port === undefined || named === '' || named === USUAL[code] || Number(named) === port)
    return null;
  return `${code} is ${named}, and the driver listens at ${port}`;
}
