import { createHash } from 'node:crypto';

/**
 * The command id for a client's own id. The hash includes tenant and kind of command, so that no tenant can
 * find or take the ids of another. A version 8 UUID (RFC 9562 section 5.8).
 */
export function idFor(space: string, given: string): string {
  const hash = createHash('sha256').update(`${space}:${given.toLowerCase()}`).digest('hex');
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...groups, variant + hash.slice(17, 20), hash.slice(20, 32)].join('-');
}
