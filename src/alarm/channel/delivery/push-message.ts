import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';

const CURVE = 'prime256v1';
/** Order of P-256 (FIPS 186-4, D.1.2.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const RECORD_BYTES = 4_096;
/** RFC 8188, 2.1: salt, record size, length of the key id, and (RFC 8291, 4) the public key as key id. */
const HEADER_BYTES = 16 + 4 + 1 + 65;
const TAG_BYTES = 16;
/** RFC 8188, 2: behind the content of the last record. */
const LAST = Buffer.of(2);

/** What one record carries: push services need not take more (RFC 8030, 7.2). */
export const MAX_PLAIN_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - LAST.length;

/** Of a subscription: the public key of the browser (P-256, uncompressed, 65 bytes) and its secret (16 bytes). */
export type BrowserKeys = { p256dh: Buffer; auth: Buffer };

function freshSender(): ECDH {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return sender;
}

/** A message in the form of RFC 8291 (`aes128gcm`), for one browser. Throws for a key that is not of the curve. */
export function encrypted(
  plain: Buffer,
  { p256dh, auth }: BrowserKeys,
  { sender = freshSender(), salt = randomBytes(16) }: { sender?: ECDH; salt?: Buffer } = {},
): Buffer<ArrayBuffer> {
  const from = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, from]);
  const secret = hkdfSync('sha256', sender.computeSecret(p256dh), auth, info, 32);
  const of = (what: string, bytes: number): Buffer =>
    Buffer.from(
      hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${what}\0`, bytes),
    );
  const cipher = createCipheriv('aes-128-gcm', of('aes128gcm', 16), of('nonce', 12));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([
    salt,
    size,
    Buffer.of(from.length),
    from,
    cipher.update(Buffer.concat([plain, LAST])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** Whether it is a point of the curve, uncompressed. */
export function isPublicKey(p256dh: Buffer): boolean {
  if (p256dh.length !== 65 || p256dh[0] !== 4) return false;
  try {
    freshSender().computeSecret(p256dh);
    return true;
  } catch {
    return false;
  }
}

/** The key pair by which push services know the platform (RFC 8292). */
export type Vapid = {
  /** Base64url of the uncompressed point: the `applicationServerKey` of browsers. */
  publicKey: string;
  /** The header Authorization of a request to a push service of this origin. */
  authorization(origin: string, now: number): string;
};

/** RFC 8292, 2: a day at most. */
const LIFE_S = 12 * 3_600;

/** The key pair that `seed` (48 secret bytes) yields; `subject`: where push services reach the operator, if known. */
export function vapidOf(seed: Buffer, subject: string | null): Vapid {
  // FIPS 186-4, B.4.1: of more bytes than the order has, so that each key is as likely.
  const d = (BigInt(`0x${seed.toString('hex')}`) % (ORDER - 1n)) + 1n;
  const pair = createECDH(CURVE);
  pair.setPrivateKey(d.toString(16).padStart(64, '0'), 'hex');
  const point = pair.getPublicKey();
  const coordinate = (from: number): string =>
    point.subarray(from, from + 32).toString('base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: Buffer.from(d.toString(16).padStart(64, '0'), 'hex').toString('base64url'),
      x: coordinate(1),
      y: coordinate(33),
    },
  });
  const publicKey = point.toString('base64url');
  return {
    publicKey,
    authorization(origin, now) {
      const exp = Math.floor(now / 1_000) + LIFE_S;
      const claims = { aud: origin, exp, ...(subject !== null && { sub: subject }) };
      const signed = `${json({ typ: 'JWT', alg: 'ES256' })}.${json(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
    },
  };
}

const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
