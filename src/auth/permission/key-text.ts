import { createHash, randomBytes } from 'node:crypto';

import type { Audience } from './audience.ts';

/** A key's full text, the prefix that may be shown, and the digest that is stored. */
type Minted = { text: string; prefix: string; digest: string };

const SHAPE = /^(svc_(?:api|mcp)_[\w-]{8})_[\w-]{43}$/;

/** A key: audience, eight characters that identify it, and 256 random bits. */
export function mint(audience: Audience): Minted {
  const prefix = `svc_${audience}_${randomBytes(6).toString('base64url')}`;
  const text = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { text, prefix, digest: digestOfKey(text) };
}

/** Whether a bearer credential has the form of a key; tokens of the authorization server never do. */
export const isKey = (text: string): boolean => SHAPE.test(text);

/** What may be shown of a key's text; empty for another credential. */
export const prefixOf = (text: string): string => SHAPE.exec(text)?.[1] ?? '';

/** Digest for storage: a key has 256 random bits, so it needs no salt and no slow hash. */
export const digestOfKey = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
