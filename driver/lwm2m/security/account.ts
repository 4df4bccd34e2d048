import type { DriverDevice } from '../../sdk/driver.ts';
import type { Leaf } from '../format/leaf.ts';
import { factoryOf, pskProblem, settingsOf } from './psk-index.ts';

/** What a device is given by a bootstrap: where it registers, and as what. */
export type Account = {
  /** `coaps://HOST:PORT` */
  uri: string;
  identity: string;
  /** In hexadecimal. */
  key: string;
  /** Seconds. */
  lifetime: string;
};

type Configured = Pick<DriverDevice, 'id' | 'configs'>;

/** Of this server among those of a device (OMA Core 1.1, E.1: Short Server ID). */
const SHORT_SERVER_ID = '1';
/** Seconds. */
const LIFETIME = '3600';
const MIN_LIFETIME = 30;
const MAX_LIFETIME = 30 * 86_400;
const MAX_URI = 255;
const PSK_MODE = '0';
const URI = /^coaps:\/\/(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Why a device with a factory key cannot be given its own, as text for people; null where it can, or has none. */
export function bootstrapProblem(device: Configured): string | null {
  const factory = factoryOf(device);
  if (factory === null) return null;
  if (factory.problem !== null) return factory.problem;
  const account = accountOf(device);
  return 'uri' in account ? null : `factoryKey is set, and ${account.problem}`;
}

/** The account that a device is to have; `problem` where its configuration has none. */
export function accountOf(device: Configured): Account | { problem: string } {
  const problem = pskProblem(device);
  if (problem !== null) return { problem };
  const uri = (device.configs['serverUri'] ?? '').trim();
  if (uri.length > MAX_URI || !URI.test(uri))
    return { problem: 'serverUri is no coaps://HOST:PORT' };
  const lifetime = (device.configs['serverLifetime'] ?? LIFETIME).trim();
  if (!/^\d{1,7}$/.test(lifetime) || +lifetime < MIN_LIFETIME || +lifetime > MAX_LIFETIME)
    return {
      problem: `serverLifetime is no number of seconds from ${MIN_LIFETIME} to ${MAX_LIFETIME}`,
    };
  const { identity, key } = settingsOf(device);
  return { uri, identity, key, lifetime };
}

/** Instance of the Security object with a pre-shared key (OMA Core 1.1, E.1). */
export function securityOf({ uri, identity, key }: Account, instance: number): Leaf[] {
  const at = (id: number): number[] => [0, instance, id];
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  return [
    { ids: at(0), value: uri, type: 'STRING' },
    { ids: at(1), value: 'false', type: 'BOOLEAN' },
    { ids: at(2), value: PSK_MODE, type: 'LONG' },
    { ids: at(3), value: base64(Buffer.from(identity)), type: 'OPAQUE' },
    // Mandatory, and without a meaning for a pre-shared key.
    { ids: at(4), value: '', type: 'OPAQUE' },
    { ids: at(5), value: base64(Buffer.from(key, 'hex')), type: 'OPAQUE' },
    { ids: at(10), value: SHORT_SERVER_ID, type: 'LONG' },
  ];
}

/** Instance of the Server object (OMA Core 1.1, E.2). */
export const serverOf = ({ lifetime }: Account, instance: number): Leaf[] => [
  { ids: [1, instance, 0], value: SHORT_SERVER_ID, type: 'LONG' },
  { ids: [1, instance, 1], value: lifetime, type: 'LONG' },
  { ids: [1, instance, 6], value: 'true', type: 'BOOLEAN' },
  { ids: [1, instance, 7], value: 'U', type: 'STRING' },
];
