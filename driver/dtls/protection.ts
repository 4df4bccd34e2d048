import {
  type CipherCCM,
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  type DecipherCCM,
  type DecipherGCM,
} from 'node:crypto';

import { ContentType, DTLS_1_2, type DtlsRecord } from './record.ts';

/** An AEAD cipher suite with a pre-shared key. */
export type Suite = {
  id: number;
  cipher: 'aes-128-ccm' | 'aes-128-gcm';
  tagBytes: number;
};

/** In the order of preference: what LwM2M devices have comes first (OMA Transport 1.1, 5.2.8). */
export const suites: readonly Suite[] = [
  // TLS_PSK_WITH_AES_128_CCM_8, TLS_PSK_WITH_AES_128_CCM (RFC 6655)
  { id: 0xc0_a8, cipher: 'aes-128-ccm', tagBytes: 8 },
  { id: 0xc0_a4, cipher: 'aes-128-ccm', tagBytes: 16 },
  // TLS_PSK_WITH_AES_128_GCM_SHA256 (RFC 5487)
  { id: 0x00_a8, cipher: 'aes-128-gcm', tagBytes: 16 },
];

export const KEY_BYTES = 16;
export const IV_BYTES = 4;

/** Keys of one direction in epoch 1; `cid`: the connection id of its receiver, null where none was agreed on. */
export type Protection = { suite: Suite; key: Buffer; iv: Buffer; cid: Buffer | null };

const HEADER_BYTES = 13;
/** Epoch and sequence number: the part of the nonce that travels (RFC 6655 3). */
const EXPLICIT_BYTES = 8;
const EPOCH = 1;

/** A protected record (RFC 6347 4.1.2.1; with a connection id RFC 9146 5.3). */
export function sealed(
  { suite, key, iv, cid }: Protection,
  type: number,
  sequence: number,
  data: Buffer,
): Buffer {
  const hasCid = cid !== null && cid.length > 0;
  // The true type travels inside, so that all records look alike (RFC 9146 4).
  const inner = hasCid ? Buffer.concat([data, Buffer.of(type)]) : data;
  const header = HEADER_BYTES + (hasCid ? cid.length : 0);
  const length = EXPLICIT_BYTES + inner.length + suite.tagBytes;
  const record = Buffer.allocUnsafe(header + length);
  record[0] = hasCid ? ContentType.CID : type;
  record.writeUInt16BE(DTLS_1_2, 1);
  record.writeUInt16BE(EPOCH, 3);
  record.writeUIntBE(sequence, 5, 6);
  if (hasCid) cid.copy(record, 11);
  record.writeUInt16BE(length, header - 2);
  record.copy(record, header, 3, 3 + EXPLICIT_BYTES);
  const nonce = nonceOf(iv, record.subarray(3, 3 + EXPLICIT_BYTES));
  const cipher = cipherOf(suite, key, nonce);
  cipher.setAAD(additional(type, sequence, hasCid ? cid : null, inner.length), {
    plaintextLength: inner.length,
  });
  cipher.update(inner).copy(record, header + EXPLICIT_BYTES);
  cipher.final();
  cipher.getAuthTag().copy(record, header + EXPLICIT_BYTES + inner.length);
  return record;
}

/** What a protected record holds, or null when it is not authentic. */
export function opened(
  { suite, key, iv }: Protection,
  { type, sequence, cid, fragment }: DtlsRecord,
): { type: number; data: Buffer } | null {
  const length = fragment.length - EXPLICIT_BYTES - suite.tagBytes;
  if (length < 0) return null;
  const nonce = nonceOf(iv, fragment.subarray(0, EXPLICIT_BYTES));
  try {
    const decipher = decipherOf(suite, key, nonce);
    decipher.setAuthTag(fragment.subarray(EXPLICIT_BYTES + length));
    decipher.setAAD(additional(type, sequence, cid, length), { plaintextLength: length });
    const data = decipher.update(fragment.subarray(EXPLICIT_BYTES, EXPLICIT_BYTES + length));
    decipher.final();
    return cid === null ? { type, data } : unpadded(data);
  } catch {
    // Node throws where the tag does not fit.
    return null;
  }
}

/** The true type behind the data and before zeros that hide its length (RFC 9146 4). */
function unpadded(inner: Buffer): { type: number; data: Buffer } | null {
  let end = inner.length - 1;
  while (end >= 0 && inner[end] === 0) end -= 1;
  const type = inner[end];
  return type === undefined ? null : { type, data: inner.subarray(0, end) };
}

function nonceOf(iv: Buffer, explicit: Buffer): Buffer {
  const nonce = Buffer.allocUnsafe(IV_BYTES + EXPLICIT_BYTES);
  iv.copy(nonce, 0);
  explicit.copy(nonce, IV_BYTES);
  return nonce;
}

function cipherOf({ cipher, tagBytes }: Suite, key: Buffer, nonce: Buffer): CipherCCM | CipherGCM {
  const options = { authTagLength: tagBytes };
  return cipher === 'aes-128-ccm'
    ? createCipheriv(cipher, key, nonce, options)
    : createCipheriv(cipher, key, nonce, options);
}

function decipherOf(
  { cipher, tagBytes }: Suite,
  key: Buffer,
  nonce: Buffer,
): DecipherCCM | DecipherGCM {
  const options = { authTagLength: tagBytes };
  return cipher === 'aes-128-ccm'
    ? createDecipheriv(cipher, key, nonce, options)
    : createDecipheriv(cipher, key, nonce, options);
}

function additional(type: number, sequence: number, cid: Buffer | null, length: number): Buffer {
  if (cid === null) {
    const data = Buffer.allocUnsafe(13);
    data.writeUInt16BE(EPOCH, 0);
    data.writeUIntBE(sequence, 2, 6);
    data[8] = type;
    data.writeUInt16BE(DTLS_1_2, 9);
    data.writeUInt16BE(length, 11);
    return data;
  }
  const data = Buffer.allocUnsafe(23 + cid.length);
  data.fill(0xff, 0, 8);
  data[8] = ContentType.CID;
  data[9] = cid.length;
  data[10] = ContentType.CID;
  data.writeUInt16BE(DTLS_1_2, 11);
  data.writeUInt16BE(EPOCH, 13);
  data.writeUIntBE(sequence, 15, 6);
  cid.copy(data, 21);
  data.writeUInt16BE(length, 21 + cid.length);
  return data;
}
