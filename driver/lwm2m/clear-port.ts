import type { DriverDevice } from '../sdk/driver.ts';

/**
 * Why a device is not served on the clear port, in words for people; null when it may be. What is
 * configured to be protected must not be served without protection, and neither what is misspelt.
 */
export function clearPortRefusal({ configs }: Pick<DriverDevice, 'configs'>): string | null {
  const mode = (configs['securityMode'] ?? '').trim().toUpperCase();
  if (mode === '' || mode === 'NOSEC') return null;
  return mode === 'PSK'
    ? 'securityMode is PSK: the device is refused on the clear port, and DTLS is not served yet'
    : 'securityMode is neither NOSEC nor PSK: the device is refused';
}
