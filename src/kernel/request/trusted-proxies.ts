import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';
import { z } from 'zod';

import { isAddressOrNetwork } from './source-address.ts';

/** All of IPv4, and all of publicly routed IPv6 (RFC 4291, 2.4). */
const EVERYTHING = ['0.0.0.0/0', '2000::/3'];

/** Proxies (addresses and networks) that are trusted to name the client in X-Forwarded-For. */
export const TrustedProxies = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z
      .array(
        z.string().refine(isAddressOrNetwork, 'must be an address, or a network like 10.0.0.0/8'),
      )
      .max(64)
      .refine(
        (given) => !given.every(isAddressOrNetwork) || !coversAll(given),
        'must not hold every address: any client could then choose its own by X-Forwarded-For',
      ),
  );

/** Bounds as IPv6 numbers; an IPv4 address counts as its mapped one. */
type Range = { first: bigint; last: bigint };

/** Whether addresses and networks together cover all IPv4 or all public IPv6 addresses. */
function coversAll(given: readonly string[]): boolean {
  const ranges = given.map(rangeOf).toSorted((a, b) => (a.first < b.first ? -1 : 1));
  return EVERYTHING.map(rangeOf).some((all) => {
    let next = all.first;
    for (const { first, last } of ranges) if (first <= next && last >= next) next = last + 1n;
    return next > all.last;
  });
}

function rangeOf(text: string): Range {
  const [address, bits] = isIP(text) === 0 ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), null];
  const isShort = address instanceof ipaddr.IPv4;
  const whole = isShort ? address.toIPv4MappedAddress() : address;
  const number = BigInt(`0x${Buffer.from(whole.toByteArray()).toString('hex')}`);
  const free = bits === null ? 0n : BigInt((isShort ? 32 : 128) - bits);
  const first = (number >> free) << free;
  return { first, last: first + (1n << free) - 1n };
}
