import { createHmac, timingSafeEqual } from 'node:crypto';

import type { App } from '../../app.ts';

/** Where a request came from, said by the gateway to an auth center that runs elsewhere. */
export const ADDRESS_HEADER = 'x-auth-address';

const LIFE_MS = 60_000;
const MAX_LENGTH = 256;
const FORM = /^(\S{1,64}) (\d{1,16})(?: ([0-9a-f]{64}))?$/;

/** Source, end (60 s from now) and HMAC-SHA256 of both; without the last when signing is off. */
export function signAddress(app: App, source: string): string {
  const said = `${source} ${app.clock.now() + LIFE_MS}`;
  const secret = app.config.hmacSecret;
  return secret === null ? said : `${said} ${mac(secret, said).toString('hex')}`;
}

/**
 * The source a gateway vouches for; null when none does, or not any more. With signing off it is
 * believed as it stands, as the principal is (docs/specification/trust.md 7).
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

/** Named, so that nothing else that is signed with the secret passes for an address. */
function mac(secret: string, said: string): Buffer {
  return createHmac('sha256', secret).update(`svc-client-address ${said}`).digest();
}
