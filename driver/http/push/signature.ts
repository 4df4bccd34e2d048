import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Standard Webhooks, Timestamp: how old a signature may be, or how far in the future. */
const TOLERANCE_MS = 300_000;
const MAX_SIGNATURES = 20;
const ID = /^[\x21-\x7e]{1,256}$/;
const TIMESTAMP = /^\d{1,12}$/;
/** Signs for no device: an unknown one takes as long as a wrong signature. */
const OF_NONE = Buffer.alloc(32);

export type Signed = { id: string; timestamp: string; signatures: readonly string[] };

/** The three headers of a signed request; null where one is missing or makes no sense. */
export function signedBy(headers: IncomingHttpHeaders): Signed | null {
  const of = (name: string): string => String(headers[`webhook-${name}`] ?? '');
  const [id, timestamp, signature] = [of('id'), of('timestamp'), of('signature')];
  if (!ID.test(id) || !TIMESTAMP.test(timestamp)) return null;
  return { id, timestamp, signatures: signature.split(' ').slice(0, MAX_SIGNATURES) };
}

/**
 * Whether one of these keys signed the bytes of a body (Standard Webhooks, Signature scheme: HMAC-SHA256 of
 * `id.timestamp.body`, `v1` and base64), and when, compared with `now` in milliseconds.
 */
export function verdictOn(
  { id, timestamp, signatures }: Signed,
  body: Buffer,
  { secrets, now }: { secrets: readonly Buffer[]; now: number },
): 'signed' | 'not signed' | 'at another time' {
  const keys = secrets.length > 0 ? secrets : [OF_NONE];
  const isRight = keys
    .map((key) => {
      const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
      const expected = Buffer.from(`v1,${digest.toString('base64')}`);
      return signatures.map((text) => isSame(Buffer.from(text), expected)).includes(true);
    })
    .includes(true);
  if (!isRight || secrets.length === 0) return 'not signed';
  return Math.abs(now - Number(timestamp) * 1_000) <= TOLERANCE_MS ? 'signed' : 'at another time';
}

const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
