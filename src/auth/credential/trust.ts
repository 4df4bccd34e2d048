import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { permissionsOf } from '../permission/permission.ts';

/** Content of X-Auth-Principal (docs/specification/trust.md 2); unknown members are ignored. */
const PrincipalClaims = z.object({
  principalId: Id,
  tenantId: Id,
  principalType: z.enum(['USER', 'SERVICE_ACCOUNT', 'SYSTEM']).default('USER'),
  displayName: z.string().default(''),
  principalName: z.string().default(''),
  clientId: z.string().optional(),
  // A signer that omits the kind of login gets no permission that needs an interactive one.
  via: z.enum(['login', 'oauth', 'key', 'model', 'system']).default('system'),
  scopes: z.array(z.string()).optional(),
  /** Milliseconds since the epoch; our gateway always writes them, another signer may omit them. */
  iat: z.number().optional(),
  exp: z.number().optional(),
  aud: z.string().optional(),
  jti: z.string().optional(),
});

const AUDIENCE = 'svc-center';
const LIFE_MS = 60_000;
const MAX_LENGTH = 8_192;

/**
 * X-Auth-Principal and X-Auth-Sign for a center (docs/specification/trust.md 2): JSON that expires after 60
 * s, and its HMAC-SHA256 in lower-case hex, or null when signing is off.
 */
export function signPrincipal(
  app: App,
  caller: Caller,
): { principal: string; sign: string | null } {
  const now = app.clock.now();
  const claims = {
    principalId: caller.principalId,
    principalType: caller.principalType,
    displayName: caller.name,
    principalName: caller.name,
    tenantId: caller.tenantId,
    clientId: caller.clientId,
    via: caller.via,
    scopes: caller.scopes && [...caller.scopes],
    iat: now,
    exp: now + LIFE_MS,
    aud: AUDIENCE,
    jti: randomUUID(),
  } satisfies { [K in keyof PrincipalClaims]: PrincipalClaims[K] | undefined };
  const principal = asciiJson(claims);
  const secret = app.config.hmacSecret;
  return { principal, sign: secret === null ? null : mac(secret, principal).toString('hex') };
}

/**
 * The principal that a gateway signed; null for an anonymous call. Throws NotAuthenticated (401) for a
 * wrong signature or audience, missing ids or an expired principal. With signing off the header is accepted
 * unverified (docs/specification/trust.md 4 and docs/specification/trust.md 7).
 */
export function verifyPrincipal(
  app: App,
  headers: { principal?: string | undefined; sign?: string | undefined },
): PrincipalClaims | null {
  const { principal, sign } = headers;
  if (principal === undefined || principal === '') return null;
  if (principal.length > MAX_LENGTH) throw new NotAuthenticated();
  const secret = app.config.hmacSecret;
  if (secret !== null && !signatureMatches(secret, principal, sign)) throw new NotAuthenticated();
  const claims = PrincipalClaims.safeParse(parse(principal));
  if (!claims.success) throw new NotAuthenticated();
  const { iat, exp, aud } = claims.data;
  const now = app.clock.now();
  if (exp !== undefined && exp <= now) throw new NotAuthenticated();
  if (iat !== undefined && iat > now + LIFE_MS) throw new NotAuthenticated();
  if (aud !== undefined && aud !== AUDIENCE) throw new NotAuthenticated();
  return claims.data;
}

/** The caller behind verified claims, with its permissions and the version at which they were read. */
export async function callerFromClaims(app: App, claims: PrincipalClaims): Promise<Caller> {
  const { tenantId, principalId } = claims;
  const { codes, version, timezone } = await permissionsOf(app, tenantId, principalId);
  return {
    tenantId,
    principalId,
    principalType: claims.principalType,
    name: claims.principalName || claims.displayName,
    via: claims.via,
    ...(claims.clientId === undefined ? {} : { clientId: claims.clientId }),
    ...(claims.scopes === undefined ? {} : { scopes: claims.scopes }),
    ...(version === undefined ? {} : { version }),
    permissions: codes,
    timezone,
  };
}

function signatureMatches(secret: string, principal: string, sign: string | undefined): boolean {
  if (sign === undefined || !/^[0-9a-f]{64}$/.test(sign)) return false;
  return timingSafeEqual(Buffer.from(sign, 'hex'), mac(secret, principal));
}

function mac(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** Escapes other characters: a header carries ASCII only, a name any script. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type PrincipalClaims = z.output<typeof PrincipalClaims>;
