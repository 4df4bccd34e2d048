import { createHmac, timingSafeEqual } from 'node:crypto';

import type { App } from '../../kernel/app/app.ts';

/** Header in which the gateway passes a request's source to a remote auth center. */
export const ADDRESS_HEADER = 'x-auth-address';

const LIFE_MS = 60_000;
const MAX_LENGTH = 256;
const FORM = /^(\S{1,64}) (\d{1,16})(?: ([0-9a-f]{64}))?$/;

/** `source end mac`: end is 60 s from now, mac the HMAC-SHA256 of both; no mac with signing off. */
export function signAddress(app: App, source: string): string {
  const said = `${source} ${app.clock.now() + LIFE_MS}`;
  const secret = app.config.hmacSecret;
  return secret === null ? said : `${said} ${mac(secret, said).toString('hex')}`;
}

/**
 * The source that a gateway signed; null when the header is missing, invalid or expired. With signing off
 * it is accepted unverified, like the principal header (docs/specification/trust.md 7).
 */
export function verifyAddress(app: App, header: string | undefined): string | null {
  const [, source, ends, sign] = FORM.exec(header?.slice(0, MAX_LENGTH) ?? '') ?? [];
  if (source === undefined || Number(ends) <= app.clock.now()) return null;
  const secret = app.config.hmacSecret;
  if (secret === null) return source;
  if (sign === undefined) return null;
  const expected = mac(secret, `${source} ${ends}`);
  return timingSafeEqual(Buffer.from(sign, 'hex'), expected) ? source : null;
}

/** The prefix keeps other values signed with the secret from passing for an address. */
function mac(secret: string, said: string): Buffer {
  return createHmac('sha256', secret).update(`svc-client-address ${said}`).digest();
}
