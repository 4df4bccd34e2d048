import type { DriverDevice } from '../sdk/driver.ts';
import type { Registration } from './registration/registration.ts';
import { nextKeyProblem, type PskIndex } from './security/psk-index.ts';

/** What is known of a device that is registered, as text for people: its version and, of two keys, which it proved. */
export function textOfRegistered(
  device: DriverDevice,
  { version, peer: { proven } }: Pick<Registration, 'version' | 'peer'>,
  psk: Pick<PskIndex, 'useOf'>,
): string {
  const known = `registered, LwM2M ${version}`;
  const problem = nextKeyProblem(device);
  if (problem !== null) return `${known}; ${problem}`;
  if ((device.configs['pskNextKey'] ?? '').trim() === '' || !proven?.mark) return known;
  const use = psk.useOf(device.id, proven.mark);
  if (use === 'next') return `${known}, with pskNextKey, which can become its pskKey now`;
  return use === 'current' ? `${known}, still with pskKey and not with pskNextKey` : known;
}
