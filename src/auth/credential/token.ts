import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';

export const TOKEN_LIFE_MS = 12 * 60 * 60_000;
export const MAX_SALT_LENGTH = 64;
const MAX_TOKEN_LENGTH = 2_048;
/** How far the clock of another node may run ahead. */
const SKEW_MS = 60_000;

const TYPE = 'svc-login+jwt';
const AUDIENCE = 'svc-login';
const HEADER = encode({ alg: 'HS256', typ: TYPE });

const Claims = z.strictObject({
  tenant_id: Id,
  principal_id: Id,
  /** Milliseconds, unlike RFC 7519: a logout ends exactly the tokens issued up to its millisecond. */
  iat: z.number().int().positive(),
  /** Seconds as in RFC 7519, so that any JWT library can read the expiry. */
  exp: z.number().int().positive(),
  aud: z.literal(AUDIENCE),
  jti: z.uuid(),
});
export type TokenClaims = {
  tenantId: string;
  principalId: string;
  issuedMs: number;
  endsMs: number;
};

/**
 * A login token (docs/specification/login.md 2–3): JWT HS256, 12 hours, bound to principal and tenant, its
 * key derived from the server's key and the salt. `issuedMs` is in ms since the epoch.
 */
export function signToken(
  app: App,
  salt: string,
  subject: { tenantId: string; principalId: string; issuedMs: number },
): string {
  const payload = encode({
    tenant_id: subject.tenantId,
    principal_id: subject.principalId,
    iat: subject.issuedMs,
    exp: Math.floor((subject.issuedMs + TOKEN_LIFE_MS) / 1_000),
    aud: AUDIENCE,
    jti: randomUUID(),
  } satisfies z.input<typeof Claims>);
  const signed = `${HEADER}.${payload}`;
  return `${signed}.${mac(app, salt, signed).toString('base64url')}`;
}

/**
 * The claims of a token that is ours, unchanged and not expired; throws NotAuthenticated (401) without a
 * reason. The header must be byte for byte the one we write: one algorithm, no jwk, jku or kid (RFC 8725
 * 3.1, 3.11).
 */
export function verifyToken(app: App, salt: string, token: string): TokenClaims {
  const [header, payload, signature, ...more] =
    token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
  if (header !== HEADER || !payload || !signature || more.length > 0) throw new NotAuthenticated();
  if (salt.length === 0 || salt.length > MAX_SALT_LENGTH) throw new NotAuthenticated();
  const expected = Buffer.from(mac(app, salt, `${header}.${payload}`).toString('base64url'));
  // Compared as text: decoding would ignore foreign characters and spare bits.
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new NotAuthenticated();
  }
  const claims = Claims.safeParse(decode(payload));
  if (!claims.success) throw new NotAuthenticated();
  const { tenant_id: tenantId, principal_id: principalId, iat: issuedMs, exp } = claims.data;
  const endsMs = Math.min(exp * 1_000, issuedMs + TOKEN_LIFE_MS);
  const now = app.clock.now();
  if (issuedMs > now + SKEW_MS || endsMs <= now) throw new NotAuthenticated();
  return { tenantId, principalId, issuedMs, endsMs };
}

function mac(app: App, salt: string, signed: string): Buffer {
  const key = createHmac('sha256', app.keys.loginToken)
    .update('svc-token-v1')
    .update(salt)
    .digest();
  return createHmac('sha256', key).update(signed).digest();
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}
