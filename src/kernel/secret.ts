import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ALGORITHM = 'aes-256-gcm';
const PREFIX = 'enc:v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keys derived from the one `SVC_SECRET_KEY` (docs/environment.md), one per purpose, 32 bytes
 * each where nothing else is said.
 */
export type Keys = {
  loginToken: Buffer;
  providerKey: Buffer;
  channelCredential: Buffer;
  /** Seals the values of secret attributes, such as the keys of devices. */
  attributeValue: Buffer;
  oauth: Buffer;
  /** Hashes (HMAC) the secrets among the facts a confirmation covers. */
  confirmation: Buffer;
  /** Signs what an MCP client carries from one round of a call to the next. */
  requestState: Buffer;
  /** Chains the rows of the audit logs (HMAC). */
  auditSeal: Buffer;
  /** The key pair by which push services know the platform is made of it; 48 bytes. */
  webPush: Buffer;
};

export function deriveKeys(secret: string): Keys {
  const derive = (purpose: string, bytes = 32): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, 'svc-keys-v1', purpose, bytes));
  return {
    loginToken: derive('login-token'),
    providerKey: derive('provider-key'),
    channelCredential: derive('channel-credential'),
    attributeValue: derive('attribute-value'),
    oauth: derive('oauth'),
    confirmation: derive('confirmation'),
    requestState: derive('request-state'),
    auditSeal: derive('audit-seal'),
    webPush: derive('web-push', 48),
  };
}

/** Reads a generated secret of this installation; creates it if missing (file mode 0600). */
export function storedSecret(dataDir: string, name: string): string {
  const directory = join(dataDir, 'secrets');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  try {
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path, 'utf8').trim();
}

/** Row of a sealed secret: text copied to another table, tenant or row cannot be opened there. */
type Place = { table: string; tenantId: string; id: string };

/** Encrypts a secret for storage (AES-256-GCM); it opens only with the same `bound`, its owner. */
export function seal(key: Buffer, bound: string | Place, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(boundTo(bound));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return PREFIX + Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Whether a stored text has the form of `seal`. */
export const isSealed = (stored: string): boolean => stored.startsWith(PREFIX);

/** Opens the output of `seal`; null for another place or key, or damaged text. */
export function unseal(key: Buffer, bound: string | Place, sealed: string): string | null {
  if (!isSealed(sealed)) return null;
  const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
  const end = bytes.length - TAG_BYTES;
  if (end < IV_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(bound))
      .setAuthTag(bytes.subarray(end));
    const open = [decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()];
    return Buffer.concat(open).toString('utf8');
  } catch {
    return null;
  }
}

function boundTo(bound: string | Place): Buffer {
  if (typeof bound === 'string') return Buffer.from(bound);
  const { table, tenantId, id } = bound;
  return Buffer.from(`${table}:${tenantId}:${id}`);
}

/** Whether the whole text is one part again and again, as `abcabcabc`; the last time may be cut. */
export const isRepetition = (text: string): boolean =>
  Array.from({ length: Math.floor(text.length / 2) }, (_, before) => before + 1).some(
    (period) => text.slice(period) === text.slice(0, -period),
  );
