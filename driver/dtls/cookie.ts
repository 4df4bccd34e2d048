import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Address } from './contract.ts';

const COOKIE_BYTES = 16;
const ROTATE_MS = 60_000;

/**
 * Cookies that prove an address without any state (RFC 6347 4.2.1): a MAC of the address and the ClientHello
 * without its cookie. The secret is renewed each minute, the former one still counts.
 */
export type Cookies = {
  of(from: Address, hello: Buffer): Buffer;
  isOurs(cookie: Buffer, from: Address, hello: Buffer): boolean;
  close(): void;
};

export function createCookies(clock: Clock, secretOf = () => randomBytes(32)): Cookies {
  let secret = secretOf();
  let former = secret;
  const close = clock.every(ROTATE_MS, () => {
    former = secret;
    secret = secretOf();
  });
  const made = (key: Buffer, { address, port }: Address, hello: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(`${address} ${port} `)
      .update(hello)
      .digest()
      .subarray(0, COOKIE_BYTES);
  return {
    of: (from, hello) => made(secret, from, hello),
    isOurs: (cookie, from, hello) =>
      cookie.length === COOKIE_BYTES &&
      [secret, former].some((key) => timingSafeEqual(cookie, made(key, from, hello))),
    close,
  };
}
