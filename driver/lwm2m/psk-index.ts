import type { PreSharedKey } from '../dtls/contract.ts';
import type { DriverDevice } from '../sdk/driver.ts';
import { securityModeOf } from './security.ts';

/** RFC 4279 5.3: what every implementation takes. */
const MAX_IDENTITY_BYTES = 128;
const MAX_KEY_BYTES = 64;
const MIN_KEY_BYTES = 8;

type Configured = Pick<DriverDevice, 'id' | 'configs'>;

/** The keys that devices may prove, by identity. One identity may be of several devices: the key decides. */
export type PskIndex = {
  /** Whether the keys of the device are others than before. */
  changed(device: Configured): boolean;
  removed(deviceId: string): void;
  keysOf(identity: Buffer): readonly PreSharedKey[];
};

export function createPskIndex(): PskIndex {
  const byIdentity = new Map<string, Map<string, Buffer>>();
  const held = new Map<string, { identity: string; key: string }>();

  function removed(deviceId: string): void {
    const former = held.get(deviceId);
    if (!former) return;
    held.delete(deviceId);
    const holders = byIdentity.get(former.identity);
    holders?.delete(deviceId);
    if (holders?.size === 0) byIdentity.delete(former.identity);
  }

  return {
    changed(device) {
      const former = held.get(device.id);
      const next = pskOf(device);
      if (former?.identity === next?.identity && former?.key === next?.key) return false;
      removed(device.id);
      if (next) {
        const holders = byIdentity.get(next.identity) ?? new Map<string, Buffer>();
        holders.set(device.id, Buffer.from(next.key, 'hex'));
        byIdentity.set(next.identity, holders);
        held.set(device.id, next);
      }
      return true;
    },
    removed,
    keysOf(identity) {
      // Compared as bytes: bytes that are not UTF-8 would become the text of others.
      const holders = byIdentity.get(identity.toString('latin1'));
      return [...(holders ?? [])].map(([holder, key]) => ({ holder, key }));
    },
  };
}

/** What is wrong with the key of a device with PSK, as text for people; null when it can be proven. */
export function pskProblem(device: Configured): string | null {
  if (securityModeOf(device) !== 'PSK') return null;
  const { identity, key } = settingsOf(device);
  const bytes = Buffer.byteLength(identity);
  if (bytes === 0) return 'pskIdentity is missing';
  if (bytes > MAX_IDENTITY_BYTES) return `pskIdentity is longer than ${MAX_IDENTITY_BYTES} bytes`;
  if (key === '') return 'pskKey is missing';
  if (!/^(?:[0-9a-f]{2})+$/i.test(key)) return 'pskKey is not hexadecimal';
  const length = key.length / 2;
  return length < MIN_KEY_BYTES || length > MAX_KEY_BYTES
    ? `pskKey has ${length} bytes instead of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES}`
    : null;
}

function pskOf(device: Configured): { identity: string; key: string } | null {
  if (securityModeOf(device) !== 'PSK' || pskProblem(device) !== null) return null;
  const { identity, key } = settingsOf(device);
  return { identity: Buffer.from(identity).toString('latin1'), key: key.toLowerCase() };
}

/** Without an identity of its own a device says its endpoint name (OMA Transport 1.1, 5.2.8.1). */
const settingsOf = ({ configs }: Configured): { identity: string; key: string } => ({
  identity: configs['pskIdentity'] || (configs['endpoint'] ?? ''),
  key: (configs['pskKey'] ?? '').trim(),
});
