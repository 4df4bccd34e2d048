import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keys derived from the one `SVC_SECRET_KEY` (docs/environment.md), one per purpose, 32 bytes
 * each.
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
};

export function deriveKeys(secret: string): Keys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, 'svc-keys-v1', purpose, 32));
  return {
    loginToken: derive('login-token'),
    providerKey: derive('provider-key'),
    channelCredential: derive('channel-credential'),
    attributeValue: derive('attribute-value'),
    oauth: derive('oauth'),
    confirmation: derive('confirmation'),
    requestState: derive('request-state'),
    auditSeal: derive('audit-seal'),
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
