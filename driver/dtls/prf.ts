import { createHmac, hash } from 'node:crypto';

import { IV_BYTES, KEY_BYTES } from './protection.ts';

const MASTER_BYTES = 48;
const FINISHED_BYTES = 12;

const hmac = (key: Buffer, ...parts: Buffer[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/** The pseudo-random function of TLS 1.2 with SHA-256 (RFC 5246 5). */
export function prf(secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer {
  const labelled = Buffer.concat([Buffer.from(label, 'latin1'), seed]);
  const parts: Buffer[] = [];
  let chain: Buffer = labelled;
  for (let made = 0; made < bytes; made += parts.at(-1)?.length ?? bytes) {
    chain = hmac(secret, chain);
    parts.push(hmac(secret, chain, labelled));
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

/** Length, zeros, length, key (RFC 4279 2). */
function premaster(key: Buffer): Buffer {
  const secret = Buffer.alloc(4 + 2 * key.length);
  secret.writeUInt16BE(key.length, 0);
  secret.writeUInt16BE(key.length, 2 + key.length);
  key.copy(secret, 4 + key.length);
  return secret;
}

export type Randoms = { client: Buffer; server: Buffer };

/** The master secret; `session`: hash of the handshake where the extended one was agreed on (RFC 7627 4). */
export const masterSecret = (
  key: Buffer,
  { client, server }: Randoms,
  session: Buffer | null,
): Buffer =>
  session
    ? prf(premaster(key), 'extended master secret', session, MASTER_BYTES)
    : prf(premaster(key), 'master secret', Buffer.concat([client, server]), MASTER_BYTES);

export type Keys = { key: Buffer; iv: Buffer };

/** The keys of both directions (RFC 5246 6.3); AEAD suites have no keys for a MAC. */
export function keysOf(
  master: Buffer,
  { client, server }: Randoms,
): { client: Keys; server: Keys } {
  const bytes = 2 * (KEY_BYTES + IV_BYTES);
  const block = prf(master, 'key expansion', Buffer.concat([server, client]), bytes);
  const keyAt = (at: number): Buffer => block.subarray(at, at + KEY_BYTES);
  const ivAt = (at: number): Buffer => block.subarray(at, at + IV_BYTES);
  return {
    client: { key: keyAt(0), iv: ivAt(2 * KEY_BYTES) },
    server: { key: keyAt(KEY_BYTES), iv: ivAt(2 * KEY_BYTES + IV_BYTES) },
  };
}

/** The proof that ends a side of the handshake (RFC 5246 7.4.9). */
export const finished = (master: Buffer, side: 'client' | 'server', transcript: Buffer): Buffer =>
  prf(master, `${side} finished`, transcript, FINISHED_BYTES);

export const transcriptHash = (messages: readonly Buffer[]): Buffer =>
  hash('sha256', Buffer.concat(messages), 'buffer');
