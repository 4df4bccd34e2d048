import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Where a secret is kept: sealed text copied into another table, tenant or row cannot be opened there. */
export type Place = { table: string; tenantId: string; id: string };

/** Encrypts a secret for storage: `v1.` and base64url of IV, tag and cipher text (AES-256-GCM). */
export function seal(key: Buffer, place: Place, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(boundTo(place));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/** Opens what `seal` made; null when it is of another place or key, or damaged. */
export function unseal(key: Buffer, place: Place, sealed: string): string | null {
  if (!sealed.startsWith('v1.')) return null;
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(place))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const open = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(open).toString('utf8');
  } catch {
    return null;
  }
}

const boundTo = ({ table, tenantId, id }: Place): Buffer =>
  Buffer.from(`${table}:${tenantId}:${id}`);
