import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

import type { Address } from './contract.ts';
import { IV_BYTES, KEY_BYTES, type Protection, suites } from './protection.ts';

/** A session as it outlives its process: without it each restart would cut off every client until its next handshake. */
export type SavedSession = {
  id: string;
  holder: string;
  address: Address;
  /** The first sequence number that this process certainly does not use: a repeated one would break the cipher. */
  sequence: number;
  /** The newest record of the client; what is at or below it counts as taken. */
  newest: number;
  /** Keys and connection ids, in base64, sealed with the pre-shared key: of no use once that does not count any more. */
  secret: string;
};

/**
 * Sequence numbers at least that a process may use before it has to save that it does. After a restart so many are left
 * out, and there are clients that refuse records which are far ahead.
 */
export const RESERVE = 32;

/** A living session as something that can be saved. */
export type Saveable = {
  saved(): SavedSession;
  /** What `saved` answered last is on disk. */
  isKept(): void;
};

export type SessionKeeper = {
  /** Urgent: the session is about to have no more numbers. */
  put(id: string, session: Saveable, isUrgent?: boolean): void;
  remove(id: string): void;
};

export type SessionKeys = { read: Protection; write: Protection; clientRandom: Buffer };

const LABEL = 'svc dtls session';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const RANDOM_BYTES = 32;

const keyOf = (psk: Buffer): Buffer =>
  createHmac('sha256', psk).update(LABEL).digest().subarray(0, KEY_BYTES);

/** The keys of a session, sealed with the pre-shared key that it was opened with. */
export function sealedKeys({ read, write, clientRandom }: SessionKeys, psk: Buffer): Buffer {
  const cid = ({ cid: own }: Protection): Buffer[] =>
    own ? [Buffer.of(own.length), own] : [Buffer.of(0xff)];
  const suite = Buffer.alloc(2);
  suite.writeUInt16BE(read.suite.id);
  const plain = [suite, read.key, read.iv, write.key, write.iv, clientRandom];
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-128-gcm', keyOf(psk), nonce);
  const body = cipher.update(Buffer.concat([...plain, ...cid(read), ...cid(write)]));
  cipher.final();
  return copied(Buffer.concat([nonce, cipher.getAuthTag(), body]));
}

/** The keys in `sealed`; null where another key sealed them. */
export function openedKeys(sealed: Buffer, psk: Buffer): SessionKeys | null {
  const start = NONCE_BYTES + TAG_BYTES;
  if (sealed.length < start) return null;
  const decipher = createDecipheriv('aes-128-gcm', keyOf(psk), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, start));
  let plain: Buffer;
  try {
    plain = decipher.update(sealed.subarray(start));
    decipher.final();
  } catch {
    // Node throws where the tag does not fit.
    return null;
  }
  let at = 0;
  const take = (bytes: number): Buffer => {
    at += bytes;
    return copied(plain.subarray(at - bytes, at));
  };
  const id = take(2).readUInt16BE();
  const suite = suites.find((known) => known.id === id);
  if (!suite) return null;
  const read = { suite, key: take(KEY_BYTES), iv: take(IV_BYTES) };
  const write = { suite, key: take(KEY_BYTES), iv: take(IV_BYTES) };
  const clientRandom = take(RANDOM_BYTES);
  const cid = (): Buffer | null => {
    const length = take(1)[0] ?? 0xff;
    return length === 0xff ? null : take(length);
  };
  return { read: { ...read, cid: cid() }, write: { ...write, cid: cid() }, clientRandom };
}

/** A copy of its own: a part of a shared page would keep all of it. */
export const copied = (bytes: Buffer): Buffer => Buffer.from(Uint8Array.from(bytes).buffer);
