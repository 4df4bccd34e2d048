import type { DriverDevice } from '../sdk/driver.ts';

/**
 * Why a device is refused on the clear port, as text for people; null when it may use the port. A device
 * configured for protection must not be served without it; an unknown mode is refused as well.
 */
export function clearPortRefusal({ configs }: Pick<DriverDevice, 'configs'>): string | null {
  const mode = (configs['securityMode'] ?? '').trim().toUpperCase();
  if (mode === '' || mode === 'NOSEC') return null;
  return mode === 'PSK'
    ? 'securityMode is PSK: the device is refused on the clear port, and DTLS is not served yet'
    : 'securityMode is neither NOSEC nor PSK: the device is refused';
}
