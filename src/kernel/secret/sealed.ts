import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const PREFIX = 'enc:v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Row of a sealed secret: text copied to another table, tenant or row cannot be opened there. */
export type Place = { table: string; tenantId: string; id: string };

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
