import { createHash } from 'node:crypto';

import type { PreSharedKey } from '../../dtls/contract.ts';
import type { DriverDevice } from '../../sdk/driver.ts';
import { securityModeOf } from './refusal.ts';

/** RFC 4279 5.3: what every implementation takes. */
const MAX_IDENTITY_BYTES = 128;
const MAX_KEY_BYTES = 64;
const MIN_KEY_BYTES = 8;

/** Code of the attribute with the key that a device left its factory with. */
export const FACTORY_KEY = 'factoryKey';

type Configured = Pick<DriverDevice, 'id' | 'configs'>;

/** The keys that devices may prove, by identity. One identity may be of several devices: the key decides. */
export type PskIndex = {
  /** Whether the keys of the device are others than before. */
  changed(device: Configured): boolean;
  removed(deviceId: string): void;
  /** The factory key with this digest does not count any more; `changed` has to be asked next. */
  spend(deviceId: string, digest: string): void;
  keysOf(identity: Buffer): readonly PreSharedKey[];
  /** The keys that the device may prove. */
  keysOfDevice(deviceId: string): readonly PreSharedKey[];
  /** What the device has the key of this mark for; null when the key does not count any more. */
  useOf(deviceId: string, mark: string): KeyUse | null;
};

/**
 * The key of a device, or the one that is to take its place: while both are set a device may prove either. That of its
 * factory is for its bootstrap alone.
 */
type KeyUse = 'current' | 'next' | 'factory';
type Psk = { identity: string; key: string; use: KeyUse };
type Held = Psk & { mark: string };

export function createPskIndex(): PskIndex {
  const byIdentity = new Map<string, Map<string, PreSharedKey>>();
  const held = new Map<string, readonly Held[]>();
  const spent = new Map<string, string>();
  let marks = 0;

  function removed(deviceId: string): void {
    for (const { identity, mark } of held.get(deviceId) ?? []) {
      const keys = byIdentity.get(identity);
      keys?.delete(mark);
      if (keys?.size === 0) byIdentity.delete(identity);
    }
    held.delete(deviceId);
  }

  /** A key keeps its mark while it is one of the device's, whatever for. */
  function marked(former: readonly Held[], psk: Psk): Held {
    const same = former.find(({ identity, key }) => identity === psk.identity && key === psk.key);
    return { ...psk, mark: same?.mark ?? String((marks += 1)) };
  }

  return {
    changed(device) {
      const former = held.get(device.id) ?? [];
      const next = keysOfDevice(device, spent.get(device.id)).map((psk) => marked(former, psk));
      const namesOf = (all: readonly Held[]) => all.map(({ mark, use }) => `${mark} ${use}`).join();
      if (namesOf(former) === namesOf(next)) return false;
      removed(device.id);
      if (next.length > 0) held.set(device.id, next);
      for (const { identity, key, mark } of next) {
        const keys = byIdentity.get(identity) ?? new Map<string, PreSharedKey>();
        keys.set(mark, { key: Buffer.from(key, 'hex'), holder: device.id, mark });
        byIdentity.set(identity, keys);
      }
      return true;
    },
    removed(deviceId) {
      removed(deviceId);
      spent.delete(deviceId);
    },
    spend: (deviceId, digest) => void spent.set(deviceId, digest),
    keysOf(identity) {
      // Compared as bytes: bytes that are not UTF-8 would become the text of others.
      return [...(byIdentity.get(identity.toString('latin1'))?.values() ?? [])];
    },
    keysOfDevice: (deviceId) =>
      (held.get(deviceId) ?? []).flatMap(
        ({ identity, mark }) => byIdentity.get(identity)?.get(mark) ?? [],
      ),
    useOf: (deviceId, mark) => held.get(deviceId)?.find((one) => one.mark === mark)?.use ?? null,
  };
}

/** What is wrong with the key of a device with PSK, as text for people; null when it can be proven. */
export function pskProblem(device: Configured): string | null {
  if (securityModeOf(device) !== 'PSK') return null;
  const { identity, key } = settingsOf(device);
  const bytes = Buffer.byteLength(identity);
  if (bytes === 0) return 'pskIdentity is missing';
  if (bytes > MAX_IDENTITY_BYTES) return `pskIdentity is longer than ${MAX_IDENTITY_BYTES} bytes`;
  return key === '' ? 'pskKey is missing' : keyProblem('pskKey', key);
}

/** What is wrong with the key that is to take the place of the current one; null when there is none or it counts. */
export function nextKeyProblem(device: Configured): string | null {
  const { next } = settingsOf(device);
  return securityModeOf(device) !== 'PSK' || next === '' ? null : keyProblem('pskNextKey', next);
}

function keyProblem(name: string, key: string): string | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(key)) return `${name} is not hexadecimal`;
  const length = key.length / 2;
  return length < MIN_KEY_BYTES || length > MAX_KEY_BYTES
    ? `${name} has ${length} bytes instead of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES}`
    : null;
}

function keysOfDevice(device: Configured, spent?: string): Psk[] {
  if (securityModeOf(device) !== 'PSK' || pskProblem(device) !== null) return [];
  const settings = settingsOf(device);
  const identity = Buffer.from(settings.identity).toString('latin1');
  const current: Psk = { identity, key: settings.key.toLowerCase(), use: 'current' };
  const next: Psk = { identity, key: settings.next.toLowerCase(), use: 'next' };
  const hasNext = next.key !== '' && next.key !== current.key && nextKeyProblem(device) === null;
  const factory = factoryOf(device);
  const counts = factory !== null && factory.problem === null && factoryDigestOf(device) !== spent;
  return [current, ...(hasNext ? [next] : []), ...(counts ? [factory.psk] : [])];
}

/** The key that a device left its factory with, for its bootstrap; null without one. */
export function factoryOf(device: Configured): { psk: Psk; problem: string | null } | null {
  const { configs } = device;
  const key = (configs[FACTORY_KEY] ?? '').trim().toLowerCase();
  if (key === '' || securityModeOf(device) !== 'PSK') return null;
  const { identity: own, key: ownKey } = settingsOf(device);
  const identityText = configs['factoryIdentity'] || (configs['endpoint'] ?? '');
  const identity = Buffer.from(identityText).toString('latin1');
  // A key that is both would go on counting after the bootstrap.
  const isOwn = key === ownKey.toLowerCase() && identityText === own;
  const problem =
    keyProblem('factoryKey', key) ??
    (identity.length > MAX_IDENTITY_BYTES
      ? `factoryIdentity is longer than ${MAX_IDENTITY_BYTES} bytes`
      : null) ??
    (isOwn ? 'factoryKey is the same as pskKey' : null);
  return { psk: { identity, key, use: 'factory' }, problem };
}

/** Names the factory key of a device without saying it; null without one. */
export function factoryDigestOf({ configs }: Pick<Configured, 'configs'>): string | null {
  const key = configs[FACTORY_KEY];
  return key ? createHash('sha256').update(key).digest('hex') : null;
}

/** Without an identity of its own a device says its endpoint name (OMA Transport 1.1, 5.2.8.1). */
export const settingsOf = ({
  configs,
}: Configured): { identity: string; key: string; next: string } => ({
  identity: configs['pskIdentity'] || (configs['endpoint'] ?? ''),
  key: (configs['pskKey'] ?? '').trim(),
  next: (configs['pskNextKey'] ?? '').trim(),
});
