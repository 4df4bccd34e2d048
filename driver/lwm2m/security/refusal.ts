import type { Peer } from '../../coap/contract.ts';
import type { DriverDevice } from '../../sdk/driver.ts';

export type SecurityMode = 'NOSEC' | 'PSK' | 'UNKNOWN';

type Configured = Pick<DriverDevice, 'id' | 'configs' | 'claim'>;

/** How a device is to be protected; an empty mode is NOSEC, one that is not known is neither. */
export function securityModeOf({ configs }: Pick<DriverDevice, 'configs'>): SecurityMode {
  const mode = (configs['securityMode'] ?? '').trim().toUpperCase();
  if (mode === '' || mode === 'NOSEC') return 'NOSEC';
  return mode === 'PSK' ? 'PSK' : 'UNKNOWN';
}

/**
 * Why a device must not register from this peer, as text for people; null when it may. A device configured for
 * protection is not served without it, a proven key counts for its own device only, and an unknown mode is refused.
 */
export function refusalFrom({ proven }: Pick<Peer, 'proven'>, device: Configured): string | null {
  const mode = securityModeOf(device);
  if (mode === 'UNKNOWN') return 'securityMode is neither NOSEC nor PSK: the device is refused';
  if (proven) {
    if (proven.deviceId !== device.id) return 'the key that was proven is of another device';
    return mode === 'PSK' ? null : 'securityMode is NOSEC: the device is served on the clear port';
  }
  if (mode === 'PSK') return 'securityMode is PSK: the device is refused on the clear port';
  // Others may have the name too: without the key nothing says which of them this is.
  return device.claim?.proven ? 'the name is of the device with its key alone' : null;
}
