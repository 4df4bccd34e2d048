import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const PREFIX = 'enc:v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under `key`; `bound` names what the text belongs to, so that it cannot be moved elsewhere. */
export function seal(key: Buffer, bound: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return PREFIX + Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** The text behind `seal`; throws when it was changed, moved, or sealed under another key. */
export function unseal(key: Buffer, bound: string, sealed: string): string {
  if (!sealed.startsWith(PREFIX)) throw new Error('this was not sealed here');
  const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('what was sealed has been cut');
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(end));
  return decipher.update(bytes.subarray(IV_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
}
