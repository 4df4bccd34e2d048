import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Whose key it is: a stored text copied into another row or tenant cannot be opened there. */
type Row = { tenantId: string; id: string };

/** Encrypts a provider's API key for storage: `v1.` and base64url of IV, tag and cipher text. */
export function encryptProviderKey(key: Buffer, row: Row, apiKey: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(boundTo(row));
  const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/** Opens what `encryptProviderKey` made; null when it is another row's, another key's or damaged. */
export function decryptProviderKey(key: Buffer, row: Row, stored: string): string | null {
  if (!stored.startsWith('v1.')) return null;
  const bytes = Buffer.from(stored.slice(3), 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(row))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const open = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(open).toString('utf8');
  } catch {
    return null;
  }
}

const boundTo = ({ tenantId, id }: Row): Buffer =>
  Buffer.from(`svc_model_provider:${tenantId}:${id}`);
